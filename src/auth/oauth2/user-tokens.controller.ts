import { Controller, HttpCode, Post, Req, UseFilters, UseGuards } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ApiExtraModels,
  ApiProperty,
  ApiQuery,
  ApiResponse,
  ApiSecurity,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { closedSet } from '../../common/values/closed-set.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { formFieldsOf } from '../../common/http/bodies/single-fields.js';
import { OAuth2ClientGuard } from './client.guard.js';
import { missingParameters, OAuth2RefusalFilter } from './oauth2-refusals.js';
import { TokenExchange } from './token-exchange.service.js';
import type { TokenAnswer } from './token-model.js';

const USER_GRANT_TYPES = closedSet('UserGrantType', ['authorization_code', 'refresh_token']);

const ClientId = () =>
  ApiQuery({
    name: 'client_id',
    required: false,
    description: 'The client id of a public client. Confidential clients send Authorization: Basic instead.',
    example: 'a-client-id',
  });

/** An error in the form of RFC 6749. */
class OAuth2ErrorBody {
  /** The kind of error. */
  @ApiProperty({ type: String, example: 'invalid_request' }) error: string;
  /** A sentence about the error. */
  @ApiProperty({ type: String, example: 'Missing required parameter [code].' }) error_description: string;
}

/** An error of the endpoint, or one that is found before the endpoint is reached. */
const Refuses = (status: number, description: string) =>
  ApiResponse({
    status,
    description,
    schema: {
      oneOf: [{ $ref: getSchemaPath(OAuth2ErrorBody) }, { $ref: '#/components/schemas/ProblemBody' }],
      example: { error: 'invalid_request', error_description: 'Missing required parameter [code].' },
    },
  });

/** The tokens of users by OAuth 2.0. */
@ApiTags('Authentication')
@ApiExtraModels(OAuth2ErrorBody)
@Refuses(400, 'A parameter is missing or wrong, or the code or token is not valid.')
@Refuses(401, 'The client did not authenticate as its type requires.')
@Controller('2/oauth2')
@UseFilters(OAuth2RefusalFilter)
@UseGuards(OAuth2ClientGuard)
export class UserTokensController {
  constructor(private readonly exchange: TokenExchange) {}

  /** Exchanges an authorization code or a refresh token for an access token of a user. */
  @Post('token')
  @HttpCode(200)
  @RouteConfig({ takesFormOnly: true })
  @ApiSecurity('basic')
  @ApiSecurity({})
  @ApiQuery({ name: 'grant_type', schema: enumSchema(USER_GRANT_TYPES), description: 'The kind of the exchange.' })
  @ApiQuery({ name: 'code', required: false, description: 'The authorization code. It is valid for 30 seconds, once.' })
  @ApiQuery({ name: 'redirect_uri', required: false, description: 'The callback to which the code was sent.' })
  @ApiQuery({ name: 'code_verifier', required: false, description: 'The verifier of the code challenge.' })
  @ApiQuery({
    name: 'refresh_token',
    required: false,
    description: 'The refresh token. It is valid once: the response has the next one.',
  })
  @ApiQuery({ name: 'scope', required: false, description: 'Fewer scopes than those granted, for a refresh.' })
  @ClientId()
  @ApiResponse({
    status: 200,
    description: 'The tokens.',
    schema: {
      type: 'object',
      required: ['token_type', 'expires_in', 'access_token', 'scope'],
      properties: {
        token_type: { type: 'string', description: 'Always `bearer`.', example: 'bearer' },
        expires_in: { type: 'integer', description: 'Seconds for which the access token is valid.', example: 7200 },
        access_token: { type: 'string', description: 'The access token.', example: 'an-access-token' },
        scope: { type: 'string', description: 'The granted scopes, separated by spaces.', example: 'ads.read' },
        refresh_token: {
          type: 'string',
          description: 'The next refresh token, with the scope `offline.access` only.',
          example: 'a-refresh-token',
        },
      },
    },
  })
  userToken(@Req() request: FastifyRequest): Promise<TokenAnswer> {
    return this.exchange.exchange(request.oauth2Client!, formFieldsOf(request));
  }

  /** Revokes all tokens that the user gave the application. Unknown tokens change nothing. */
  @Post('revoke')
  @HttpCode(200)
  @RouteConfig({ takesFormOnly: true })
  @ApiSecurity('basic')
  @ApiSecurity({})
  @ApiQuery({ name: 'token', description: 'An access token or refresh token.', example: 'an-access-token' })
  @ApiQuery({ name: 'token_type_hint', required: false, description: 'Ignored.' })
  @ClientId()
  @ApiResponse({
    status: 200,
    description: 'The token is not valid any more.',
    schema: {
      type: 'object',
      required: ['revoked'],
      properties: { revoked: { type: 'boolean', description: 'Always `true`.', example: true } },
    },
  })
  async revokeUserToken(@Req() request: FastifyRequest): Promise<{ revoked: true }> {
    const { token } = formFieldsOf(request);
    if (!token) throw missingParameters(['token']);
    await this.exchange.revoke(request.oauth2Client!, token);
    return { revoked: true };
  }
}
