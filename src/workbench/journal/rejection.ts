import { cut } from '../../common/errors/api-error.js';
import { isObject } from '../../common/is-object.js';
import type { RecordedDetail } from './recorded-request.js';

const MAX_LENGTH = 300;

/** Reasons of the log in the words of a sentence. */
const SIGNATURE_REASONS: Record<string, string> = {
  signature: 'The signature is wrong: compare the base strings.',
  'out-of-bounds': 'oauth_timestamp is more than five minutes off.',
  'no-token': 'oauth_token is missing.',
  'token-of-another': 'oauth_token belongs to another application.',
  'unknown-token': 'oauth_token is unknown or revoked.',
  'nonce-used': 'oauth_nonce was used before.',
  'nonce-too-old': 'After this request was signed, the service lost its record of nonces: sign it again.',
};

/** Why the service rejected a request, in a sentence; null if it did not. */
export function rejectionOf(
  status: number,
  { signature, response }: Pick<RecordedDetail, 'signature' | 'response'>,
): string | null {
  const reason = signature?.reason;
  if (reason != null) return SIGNATURE_REASONS[reason] ?? reason;
  const message = status < 400 ? undefined : messageOf(response.text);
  return message === undefined ? null : cut(message, MAX_LENGTH);
}

/** The first error of a response, and the number of the others. */
function messageOf(text: string | null): string | undefined {
  const body = parsed(text);
  if (!isObject(body)) return undefined;
  const { errors, operation_errors: operations, detail } = body;
  const messages = [errors, operations]
    .flat(2)
    .flatMap((error) => (isObject(error) && typeof error.message === 'string' ? [error.message] : []));
  if (messages.length > 1) return `${messages[0]} (and ${messages.length - 1} more)`;
  return messages[0] ?? (typeof detail === 'string' ? detail : undefined);
}

/** Long responses are incomplete. */
function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
