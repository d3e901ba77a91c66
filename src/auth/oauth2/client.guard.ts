import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApplicationQueries } from '../credentials/application.queries.js';
import { isSameSecret } from '../credentials/callers.service.js';
import { OAuthAdmission } from '../guards/oauth-admission.js';
import { isBasicHeader, readBasic } from '../headers/authorization-header.js';
import { formFieldsOf } from '../../common/http/bodies/single-fields.js';
import { couldNotAuthenticate } from '../../common/errors/catalogue.js';
import { invalidRequest, missingParameters, noClientSecret, unknownClient } from './oauth2-refusals.js';
import type { OAuth2Client } from './token-model.js';
import { hashOfSecret } from '../credentials/tokens.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by OAuth2ClientGuard. */
    oauth2Client?: OAuth2Client;
  }
}

/**
 * Identifies the client of the token and revocation endpoints: confidential ones by Basic, public ones by `client_id`. A
 * confidential client counts in the rate limit window of its application. Everybody can name a public one, so that its requests
 * count by address, as those of unknown clients do.
 */
@Injectable()
export class OAuth2ClientGuard implements CanActivate {
  constructor(
    private readonly applications: ApplicationQueries,
    private readonly admission: OAuthAdmission,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
    let client: Awaited<ReturnType<OAuth2ClientGuard['authenticate']>>;
    try {
      client = await this.authenticate(request);
    } catch (error) {
      await this.admission.admitAddress(request, reply, 'OAUTH');
      throw error;
    }
    request.oauth2Client = client;
    request.client = { applicationId: client.id };
    if (client.isPublic) await this.admission.admitAddress(request, reply, 'OAUTH');
    else
      await this.admission.admitApplication(request, reply, {
        applicationId: client.id,
        quota: 'OAUTH',
        replayed: couldNotAuthenticate,
      });
    return true;
  }

  private async authenticate(request: FastifyRequest): Promise<OAuth2Client & { isPublic: boolean }> {
    const { authorization = '' } = request.headers;
    const { client_id: named, client_secret: secret } = formFieldsOf(request);
    const basic = readBasic(authorization);
    if (isBasicHeader(authorization) && !basic) throw noClientSecret();
    const clientId = basic?.key ?? named;
    if (clientId === undefined) throw missingParameters(['client_id']);
    if (named !== undefined && named !== clientId)
      throw invalidRequest('Value passed for the client id differs from that of the authorization header.');
    const application = await this.applications.findByClientId(clientId);
    if (!application) throw unknownClient(basic !== undefined);
    const { id, clientType, clientSecretHash, clientScopes: scopes } = application;
    const isPublic = clientType === 'public';
    // a secret in the body may be logged on its way
    if (secret !== undefined || (!isPublic && !basic)) throw noClientSecret();
    if (basic && (isPublic || !isSameSecret(clientSecretHash!, hashOfSecret(basic.secret)))) throw noClientSecret();
    return { id, clientId, isPublic, scopes, grants: ['authorization_code', 'refresh_token'] };
  }
}
