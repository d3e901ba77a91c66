import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import { noteRefusal } from '../../common/http/errors/refused.js';

/** An error of the token and revocation endpoints, in the form of RFC 6749: the message is `error_description`. */
export class OAuth2Refusal extends ApiError {}

const refusal =
  (status: number, error: string, headers?: Record<string, string>) =>
  (description: string): OAuth2Refusal =>
    new OAuth2Refusal(status, error, description, {}, headers);

const BASIC = { 'www-authenticate': 'Basic realm="Marquee", charset="UTF-8"' };

export const invalidRequest = refusal(400, 'invalid_request');
export const invalidScope = refusal(400, 'invalid_scope');
const invalidClient = refusal(400, 'invalid_client');
const invalidBasicClient = refusal(401, 'invalid_client', BASIC);
const unauthorizedClient = refusal(401, 'unauthorized_client', BASIC);

export const missingParameters = (names: string[]) =>
  invalidRequest(`Missing required parameter${names.length > 1 ? 's' : ''} [${names.join(', ')}].`);
export const unknownClient = (byBasic: boolean) =>
  (byBasic ? invalidBasicClient : invalidClient)('Value passed for the client id was invalid.').because(
    'unknown-application',
  );
export const noClientSecret = () => unauthorizedClient('Missing valid authorization header').because('key-or-secret');
export const invalidCode = () =>
  invalidRequest('Value passed for the authorization code was invalid.').because('unknown-token');
export const invalidRefreshToken = () =>
  invalidRequest('Value passed for the token was invalid.').because('unknown-token');

/** Writes these errors. */
@Catch(OAuth2Refusal)
export class OAuth2RefusalFilter implements ExceptionFilter<OAuth2Refusal> {
  catch(refused: OAuth2Refusal, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    noteRefusal(http.getRequest<FastifyRequest>(), refused);
    void http
      .getResponse<FastifyReply>()
      .headers(refused.headers)
      .status(refused.status)
      .type('application/json; charset=utf-8')
      .send({ error: refused.code, error_description: refused.message });
  }
}
