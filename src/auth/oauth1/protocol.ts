import type { Clock } from '../../common/clock.js';
import { ProtocolViolation } from './protocol-violation.js';
import type { OAuthParams } from './signature.js';

/** How far a timestamp may be from our clock, either way. */
export const WINDOW_SECONDS = 300;

/** Protocol parameters of a request that is signed the way we ask for; `token` is empty where none is sent. */
export interface Protocol {
  consumerKey: string;
  token: string;
  signature: string;
  timestamp: number;
  nonce: string;
}

/** RFC 5849 3.1 to 3.3: everything that can be said about the parameters before anybody's secret is looked up. */
export function checkProtocol(oauth: OAuthParams, clock: Pick<Clock, 'seconds'>): Protocol | ProtocolViolation {
  for (const name of REQUIRED) {
    if (!oauth[name]) return new ProtocolViolation('missing', `${name} is missing`);
  }
  if (oauth.oauth_signature_method !== 'HMAC-SHA1')
    return new ProtocolViolation('method', 'oauth_signature_method must be HMAC-SHA1');
  if ((oauth.oauth_version ?? '1.0') !== '1.0')
    return new ProtocolViolation('version', 'oauth_version must be 1.0, or be left out');

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

const REQUIRED = [
  'oauth_consumer_key',
  'oauth_signature',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_nonce',
] as const satisfies (keyof OAuthParams)[];
