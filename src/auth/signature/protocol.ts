import type { Clock } from '../../common/time/clock.js';
import { ProtocolViolation } from '../headers/authorization-header.js';
import { WINDOW_SECONDS } from '../replay/signed-nonce.js';
import { charactersAround, trimmedKey } from './secret-mistakes.js';
import type { OAuthParams } from './signature.js';

/** Protocol parameters of a correctly signed request; `token` is empty when none is sent. */
export interface Protocol {
  consumerKey: string;
  token: string;
  signature: string;
  timestamp: number;
  nonce: string;
}

/** The parameters by which the service looks something up. */
const LOOKED_UP = ['oauth_consumer_key', 'oauth_token', 'oauth_verifier'] as const satisfies (keyof OAuthParams)[];
const PRINTABLE = /^[\x21-\x7e]*$/;

/**
 * The problem with the characters of keys and tokens. Check this before anything else reads them: databases, caches
 * and logs then get no character that means something to them.
 */
export function faultOfKeys(oauth: OAuthParams): ProtocolViolation | undefined {
  const name = LOOKED_UP.find((each) => !PRINTABLE.test(oauth[each] ?? ''));
  return name && new ProtocolViolation('malformed', `${name} must be printable ASCII characters`);
}

/** The hint for keys that are printable without what stands around them. */
export function hintOnKeys(oauth: OAuthParams): string | undefined {
  const name = LOOKED_UP.find((each) => !PRINTABLE.test(oauth[each] ?? ''));
  if (name === undefined || !PRINTABLE.test(trimmedKey(oauth[name]!))) return undefined;
  return `${name} has ${charactersAround(oauth[name]!)}. Send it without.`;
}

const notAs = (given: string): string => (/^[\w-]{1,40}$/.test(given) ? `, not ${given}` : '');

/** RFC 5849 3.1 to 3.3: all checks of the parameters that need no secret. */
export function checkProtocol(oauth: OAuthParams, clock: Pick<Clock, 'seconds'>): Protocol | ProtocolViolation {
  for (const name of REQUIRED) {
    if (!oauth[name]) return new ProtocolViolation('missing', `${name} is missing`);
  }
  if (oauth.oauth_signature_method !== 'HMAC-SHA1')
    return new ProtocolViolation(
      'method',
      `oauth_signature_method must be HMAC-SHA1${notAs(oauth.oauth_signature_method!)}`,
    );
  if ((oauth.oauth_version ?? '1.0') !== '1.0')
    return new ProtocolViolation('version', 'oauth_version must be 1.0 or absent');

  const nonce = oauth.oauth_nonce!;
  if (!/^[\x20-\x7e]{1,255}$/.test(nonce))
    return new ProtocolViolation('nonce', 'oauth_nonce must be 1 to 255 ASCII characters');

  const timestamp = /^\d{1,15}$/.test(oauth.oauth_timestamp!) ? Number(oauth.oauth_timestamp) : 0;
  if (timestamp <= 0)
    return new ProtocolViolation('timestamp-format', 'oauth_timestamp must be whole seconds since the epoch');
  if (Math.abs(clock.seconds() - timestamp) > WINDOW_SECONDS)
    return new ProtocolViolation('out-of-bounds', 'timestamp out of bounds');

  return {
    consumerKey: oauth.oauth_consumer_key!,
    token: oauth.oauth_token ?? '',
    signature: oauth.oauth_signature!,
    timestamp,
    nonce,
  };
}

/** A hint for developers about a wrong timestamp or nonce, where the mistake is recognized. */
export function hintOnProtocol(oauth: OAuthParams, clock: Pick<Clock, 'seconds'>): string | undefined {
  const { oauth_timestamp: timestamp = '', oauth_nonce: nonce } = oauth;
  if (nonce === '') return 'oauth_nonce is empty: every request needs a new random text of 1 to 255 ASCII characters.';
  if (/^\d{13}$/.test(timestamp))
    return `oauth_timestamp has 13 digits, like milliseconds; send seconds: ${timestamp.slice(0, 10)}.`;
  if (!/^\d{1,15}$/.test(timestamp)) return undefined;
  const seconds = Number(timestamp) - clock.seconds();
  if (Math.abs(seconds) <= WINDOW_SECONDS) return undefined;
  return `oauth_timestamp is ${Math.abs(seconds)} seconds ${seconds < 0 ? 'behind' : 'ahead of'} the clock of this server; at most ${WINDOW_SECONDS} seconds are allowed.`;
}

const REQUIRED = [
  'oauth_consumer_key',
  'oauth_signature',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_nonce',
] as const satisfies (keyof OAuthParams)[];
