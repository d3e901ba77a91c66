import { Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { closedSet } from '../../common/values/closed-set.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ReturnsFields } from '../../common/http/answers/returns.js';
import { ClientGuard, OwnerGuard } from './oauth2.guards.js';
import { bearerOfAnother, unverified } from '../oauth-errors.js';
import { BearersService } from '../bearers/bearers.service.js';

const GRANT_TYPES = closedSet('GrantType', ['client_credentials']);

/** Application-only credentials. */
@ApiTags('Authentication')
@Controller('oauth2')
export class OAuth2Controller {
  constructor(private readonly bearers: BearersService) {}

  /** Returns the bearer token of the application, the same one until it is invalidated. */
  @Post('token')
  @HttpCode(200)
  @RouteConfig({ takesFormOnly: true })
  @UseGuards(ClientGuard)
  @ApiSecurity('basic')
  @ApiQuery({ name: 'grant_type', schema: enumSchema(GRANT_TYPES), description: 'The grant type.' })
  @ReturnsFields({
    token_type: { about: 'Always `bearer`.', example: 'bearer' },
    access_token: { about: 'The bearer token.', example: 'a-bearer-token' },
  })
  async token(@Req() request: FastifyRequest) {
    if (parameter(request, 'grant_type') !== 'client_credentials')
      throw unverified('grant_type must be client_credentials');
    return { token_type: 'bearer', access_token: await this.bearers.issue(request.client!.applicationId) };
  }

  /** Invalidates a bearer token. The application's next bearer token is a new one. */
  @Post('invalidate_token')
  @HttpCode(200)
  @RouteConfig({ takesFormOnly: true })
  @UseGuards(OwnerGuard)
  @ApiSecurity('basic')
  @ApiSecurity('oauth1')
  @ApiQuery({
    name: 'access_token',
    description: 'The bearer token.',
    example: 'a-bearer-token',
  })
  @ReturnsFields({
    access_token: { about: 'The invalidated token.', example: 'a-bearer-token' },
  })
  async invalidate(@Req() request: FastifyRequest) {
    const { user, client } = request;
    if (user && user.userId !== user.application.ownerId)
      throw unverified('only the owner of the application may do this');
    const token = parameter(request, 'access_token');
    if (token === undefined || token === '') throw unverified('access_token is missing');
    const outcome = await this.bearers.revoke(user?.application.id ?? client!.applicationId, token);
    if (outcome === 'of-another') throw bearerOfAnother();
    if (outcome === 'unknown') throw unverified();
    return { access_token: token };
  }
}

/** A parameter of the query or form that was sent once, if it is printable ASCII, as all valid ones are. */
function parameter(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === 'string' && /^[\x21-\x7e]*$/.test(value) ? value : undefined;
}
