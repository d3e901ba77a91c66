import type { SingleFields } from '../../common/http/bodies/single-fields.js';
import type { Application } from '../credentials/application.entity.js';
import { CHALLENGE_METHODS, type ChallengeMethod } from './grant.entity.js';
import { readScopes, WRITE_SCOPES, type Scope } from '../credentials/scopes.js';

/** What an application asks a user for. */
export interface AuthorizationRequest {
  scopes: Scope[];
  state: string;
  challenge: string;
  challengeMethod: ChallengeMethod;
}

/** Why the browser is sent back without a question. The names are those of RFC 6749. */
export interface AuthorizationFault {
  error: 'invalid_request' | 'unsupported_response_type' | 'invalid_scope';
  description: string;
}

const MAX_STATE_LENGTH = 500;
/** RFC 7636, 4.2: a verifier, or base64url of a SHA-256. */
const CHALLENGES: Record<ChallengeMethod, RegExp> = { plain: /^[\w.~-]{43,128}$/, S256: /^[\w-]{43}$/ };
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):(\d{1,5})(?=\/|$)(.*)$/s;
const MAX_PORT = 65_535;

/**
 * True if the browser may be sent there: it is a registered callback, letter by letter. A program on a device does not know its
 * port in advance: a public client that registers a loopback address without a port may add any (RFC 8252, 7.3).
 */
export function isRegistered(
  redirectUri: string,
  { callbacks, clientType }: Pick<Application, 'callbacks' | 'clientType'>,
): boolean {
  if (callbacks.includes(redirectUri)) return true;
  const [, origin, port, rest] = LOOPBACK.exec(redirectUri) ?? [];
  return clientType === 'public' && Number(port) <= MAX_PORT && callbacks.includes(`${origin}${rest}`);
}

/** The state of a request, if it can be sent back. */
export const stateOf = ({ state }: SingleFields): string | undefined =>
  state !== undefined && state !== '' && state.length <= MAX_STATE_LENGTH ? state : undefined;

/** The parameters of a request for an approval, or what is wrong with them. */
export function readAuthorization(
  query: SingleFields,
  application: Pick<Application, 'accessLevel' | 'clientScopes'>,
): AuthorizationRequest | AuthorizationFault {
  const { response_type: responseType, scope, code_challenge: challenge } = query;
  const method = CHALLENGE_METHODS.find((each) => each === query.code_challenge_method);
  if (!responseType) return missing('response_type');
  if (responseType !== 'code')
    return { error: 'unsupported_response_type', description: 'response_type has to be code' };
  const state = stateOf(query);
  if (query.state && state === undefined)
    return { error: 'invalid_request', description: `state has more than ${MAX_STATE_LENGTH} characters` };
  if (state === undefined) return missing('state');
  if (!challenge) return missing('code_challenge');
  if (!query.code_challenge_method) return missing('code_challenge_method');
  if (!method) return { error: 'invalid_request', description: 'code_challenge_method has to be S256 or plain' };
  if (!CHALLENGES[method].test(challenge))
    return { error: 'invalid_request', description: `code_challenge does not have the form of ${method}` };
  if (!scope) return missing('scope');
  const asked = readScopes(scope);
  if (!asked) return { error: 'invalid_scope', description: 'scope has a scope that does not exist' };
  const scopes = grantable(asked, application);
  if (typeof scopes === 'string') return { error: 'invalid_scope', description: scopes };
  return { scopes, state, challenge, challengeMethod: method };
}

/** The scopes of these that an application gets, or why it gets none. One that may only read gets none that change something. */
export function grantable(
  asked: readonly Scope[],
  application: Pick<Application, 'accessLevel' | 'clientScopes'>,
): Scope[] | string {
  if (!asked.every((each) => application.clientScopes.includes(each)))
    return 'scope has a scope that the application is not registered for';
  const scopes = asked.filter((each) => application.accessLevel === 'write' || !WRITE_SCOPES.has(each));
  return scopes.length === 0 ? 'the application may only read' : scopes;
}

const missing = (name: string): AuthorizationFault => ({
  error: 'invalid_request',
  description: `${name} is missing, or was sent more than once`,
});
