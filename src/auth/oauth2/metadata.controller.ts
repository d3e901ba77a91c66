import { Controller, Get, Header, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { SCOPES, type Scope } from '../credentials/scopes.js';
import { issuerOf, resourceOriginOf } from '../grants/discovery.js';

/** Of both endpoints that clients call. */
const CLIENT_AUTHENTICATION = ['client_secret_basic', 'none'];
/** The scopes that endpoints need, as clients ask for them by default. */
const RESOURCE_SCOPES: readonly Scope[] = ['ads.read', 'ads.write', 'media.write', 'offline.access'];

/** Any page may read what clients find out here: it is the same for all, and needs no credentials. */
const Public = (): MethodDecorator => (target, name, descriptor) => {
  Header('access-control-allow-origin', '*')(target, name, descriptor);
  Header('cache-control', 'max-age=300')(target, name, descriptor);
};

/** Tells clients of OAuth 2.0 where to get tokens, and for what (RFC 8414, RFC 9728). */
@ApiExcludeController()
@Controller('.well-known')
export class OAuth2MetadataController {
  constructor(private readonly config: Config) {}

  @Get('oauth-authorization-server')
  @Public()
  authorizationServer() {
    const issuer = issuerOf(this.config);
    return {
      issuer,
      authorization_endpoint: `${issuer}/i/oauth2/authorize`,
      token_endpoint: `${issuer}/2/oauth2/token`,
      revocation_endpoint: `${issuer}/2/oauth2/revoke`,
      scopes_supported: SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256', 'plain'],
      token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
      revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${issuer}/docs`,
    };
  }

  /** The service as a whole, under the URL that the client called. */
  @Get('oauth-protected-resource')
  @Public()
  resource(@Req() request: FastifyRequest) {
    return this.resourceAt(request, '');
  }

  @Get('oauth-protected-resource/mcp')
  @Public()
  mcp(@Req() request: FastifyRequest) {
    return this.resourceAt(request, '/mcp');
  }

  @Get('oauth-protected-resource/sandbox/mcp')
  @Public()
  sandboxMcp(@Req() request: FastifyRequest) {
    return this.resourceAt(request, '/sandbox/mcp');
  }

  private resourceAt(request: FastifyRequest, path: string) {
    return {
      resource: `${resourceOriginOf(request, this.config)}${path}`,
      authorization_servers: [issuerOf(this.config)],
      scopes_supported: RESOURCE_SCOPES,
      bearer_methods_supported: ['header'],
      resource_documentation: `${issuerOf(this.config)}/docs`,
    };
  }
}
