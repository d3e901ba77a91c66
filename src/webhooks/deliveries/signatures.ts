import { createHmac, randomBytes } from 'node:crypto';
import { swapHeader } from '../../names/swap.js';
import type { Vocabulary } from '../../names/vocabulary.js';

/** The header of the platform's own signature. */
const SIGNATURE_HEADER = 'x-platform-webhooks-signature';

/** The same in a vocabulary. */
export const signatureHeader = (names: Vocabulary): string =>
  names === 'x' ? swapHeader(SIGNATURE_HEADER) : SIGNATURE_HEADER;

/**
 * Proves to a webhook that a body comes from this service. The platform's own signature covers the body; the Standard
 * Webhooks signature covers id, time and body, which also prevents replay attacks. Both use the application's consumer
 * secret. `seconds`: the time of sending, since 1970.
 */
export function signatureHeaders(
  secret: string,
  eventId: string,
  seconds: number,
  body: string,
  names: Vocabulary = 'marquee',
): Record<string, string> {
  const signed = (text: string) => createHmac('sha256', secret).update(text).digest('base64');
  return {
    [signatureHeader(names)]: `sha256=${signed(body)}`,
    'webhook-id': eventId,
    'webhook-timestamp': `${seconds}`,
    'webhook-signature': `v1,${signed(`${eventId}.${seconds}.${body}`)}`,
  };
}

/** Signatures of the same form with a secret that nobody has. */
export const invalidSignatureHeaders = (
  eventId: string,
  seconds: number,
  body: string,
  names?: Vocabulary,
): Record<string, string> => signatureHeaders(randomBytes(32).toString('hex'), eventId, seconds, body, names);
