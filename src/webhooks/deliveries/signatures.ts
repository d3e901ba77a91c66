import { createHmac, randomBytes } from 'node:crypto';

/** The header of the platform's own signature. */
const SIGNATURE_HEADER = 'x-platform-webhooks-signature';

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
): Record<string, string> {
  const signed = (text: string) => createHmac('sha256', secret).update(text).digest('base64');
  return {
    [SIGNATURE_HEADER]: `sha256=${signed(body)}`,
    'webhook-id': eventId,
    'webhook-timestamp': `${seconds}`,
    'webhook-signature': `v1,${signed(`${eventId}.${seconds}.${body}`)}`,
  };
}

/** Signatures of the same form with a secret that nobody has. */
export const invalidSignatureHeaders = (eventId: string, seconds: number, body: string): Record<string, string> =>
  signatureHeaders(randomBytes(32).toString('hex'), eventId, seconds, body);
