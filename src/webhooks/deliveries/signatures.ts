import { createHmac } from 'node:crypto';

/** The header of our own signature. */
export const SIGNATURE_HEADER = 'x-platform-webhooks-signature';

/**
 * What proves to a webhook that a body comes from us: our own signature over the body alone, and that of Standard Webhooks
 * over id, time and body, which also stops what is repeated later. Both are made with the application's consumer secret.
 * `seconds`: when it is sent, since 1970.
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
