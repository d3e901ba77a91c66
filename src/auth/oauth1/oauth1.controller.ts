import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidToken } from '../../common/errors/catalogue.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ReturnsFields } from '../../common/http/answers/returns.js';
import { ACCESS_LEVELS, type AccessLevel } from '../credentials/application.entity.js';
import { ApplicationSignedGuard, RequestTokenSignedGuard, TokenSignedGuard } from './oauth1.guards.js';
import { Policy } from '../guards/endpoint-policy.js';
import {
  badParameter,
  callbackNotApproved,
  invalidRequestToken,
  invalidVerifier,
  missingParameter,
  onlyOutOfBand,
} from '../oauth-errors.js';
import { isApproved, OUT_OF_BAND } from '../credentials/callbacks.js';
import type { SignedByApplication } from './flow.strategies.js';
import { AccessTokensService } from '../credentials/access-tokens.service.js';
import { RequestTokensService } from './request-tokens.service.js';
import type { Pair } from '../signature/signature.js';

/** What token endpoints answer: not JSON, as every client of OAuth 1.0a expects (RFC 5849 2.1). */
const FORM = 'application/x-www-form-urlencoded; charset=utf-8';
const formOf = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

/** The ends of the three-legged flow that programs see; its middle is pages. */
@ApiTags('Authentication')
@Controller()
export class OAuth1Controller {
  constructor(
    private readonly requestTokens: RequestTokensService,
    private readonly accessTokens: AccessTokensService,
  ) {}

  /** Returns a request token, which begins a flow. */
  @Post('oauth/request_token')
  @HttpCode(200)
  @UseGuards(ApplicationSignedGuard)
  @ApiSecurity('application')
  @ApiQuery({
    name: 'oauth_callback',
    description: 'A registered URL, or `oob` for a PIN. May be in the header.',
    example: 'oob',
  })
  @ApiQuery({
    name: 'platform_auth_access_type',
    required: false,
    schema: enumSchema(ACCESS_LEVELS),
    description: 'Access level of the access token, at most the level of the application. May be in the header.',
  })
  @ApiQuery({
    name: 'x_auth_access_type',
    required: false,
    schema: enumSchema(ACCESS_LEVELS),
    description: 'Another name for `platform_auth_access_type`. If both are sent, they must be equal.',
  })
  @ReturnsFields(
    {
      oauth_token: { about: 'The request token.', example: 'a-request-token' },
      oauth_token_secret: { about: 'The secret of the request token.', example: 'a-request-token-secret' },
      oauth_callback_confirmed: { about: 'Always `true`.', example: 'true' },
    },
    { form: true },
  )
  async requestToken(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { callback, accessLevel } = flowOf(request.byApplication!);
    const { consumer } = request.byApplication!;
    const token = await this.requestTokens.issue(consumer.id, callback, accessLevel);
    await reply
      .type(FORM)
      .send(formOf({ oauth_token: token.key, oauth_token_secret: token.secret, oauth_callback_confirmed: 'true' }));
  }

  /** Exchanges a request token for an access token, with the verifier from the callback or the PIN. */
  @Post('oauth/access_token')
  @HttpCode(200)
  @UseGuards(RequestTokenSignedGuard)
  @ApiSecurity('application')
  @ApiQuery({
    name: 'oauth_verifier',
    description: 'The verifier from the callback, or the PIN. May be in the header.',
    example: '1234567',
  })
  @ReturnsFields(
    {
      oauth_token: { about: 'The access token.', example: 'an-access-token' },
      oauth_token_secret: { about: 'The secret of the access token.', example: 'an-access-token-secret' },
      user_id: { about: 'The user who approved.', example: '1790000000000001' },
      screen_name: { about: 'The username of the user.', example: 'demo' },
    },
    { form: true },
  )
  async accessToken(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { requestTokenId, signed } = request.withRequestToken!;
    const verifier = signed.oauth.oauth_verifier;
    if (!verifier) throw invalidVerifier();
    const exchanged = await this.requestTokens.exchange(requestTokenId, verifier);
    if (exchanged === 'gone') throw invalidRequestToken();
    if (exchanged === 'wrong-verifier') throw invalidVerifier();
    await reply.type(FORM).send(
      formOf({
        oauth_token: exchanged.key,
        oauth_token_secret: exchanged.secret,
        user_id: exchanged.userId,
        screen_name: exchanged.username,
      }),
    );
  }

  /** Invalidates the access token that signs the request. */
  @Post(['1.1/oauth/invalidate_token', '1.1/oauth/invalidate_token.json'])
  @HttpCode(200)
  @Policy({ notAWrite: true })
  @UseGuards(TokenSignedGuard)
  @ApiSecurity('oauth1')
  @ReturnsFields({
    access_token: { about: 'The invalidated token.', example: 'an-access-token' },
  })
  async invalidate(@Req() request: FastifyRequest) {
    const { token } = request.user!;
    if (!(await this.accessTokens.revoke(token))) throw invalidToken();
    return { access_token: token };
  }
}

/** Where a flow may end, and what it may give at most; throws what is wrong with what was asked. */
function flowOf({ consumer, signed }: SignedByApplication): { callback: string | null; accessLevel: AccessLevel } {
  const callback = signed.oauth.oauth_callback;
  if (!callback) throw missingParameter('oauth_callback');
  if (callback !== OUT_OF_BAND) {
    if (consumer.desktop) throw onlyOutOfBand();
    if (!isApproved(callback, consumer.callbacks)) throw callbackNotApproved();
  }
  const isRead = accessTypeOf(signed.pairs) === 'read' || consumer.accessLevel === 'read';
  return { callback: callback === OUT_OF_BAND ? null : callback, accessLevel: isRead ? 'read' : 'write' };
}

const ACCESS_TYPE_NAMES = ['platform_auth_access_type', 'x_auth_access_type'];
/** How much of a refused value the error repeats. */
const MAX_QUOTED_LENGTH = 100;

/** The access level that a flow asks for, under either name and in the header, query or form; undefined where it asks for none. */
function accessTypeOf(pairs: Pair[]): AccessLevel | undefined {
  const given = pairs.filter(([name]) => ACCESS_TYPE_NAMES.includes(name));
  for (const [name, value] of given) {
    if (!ACCESS_LEVELS.some((level) => level === value))
      throw badParameter(`${name} must be ${ACCESS_LEVELS.join(' or ')}, not "${value.slice(0, MAX_QUOTED_LENGTH)}"`);
  }
  const [first, ...others] = given;
  const different = others.find(([, value]) => value !== first[1]);
  if (different) {
    const quoted = [first, different].map(([name, value]) => `${name}=${value}`).join(' and ');
    throw badParameter(`${quoted} contradict each other: send only one of them, or the same value for both`);
  }
  return first?.[1] as AccessLevel | undefined;
}
