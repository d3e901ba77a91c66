import { maskHeaders, maskText, responseHeaderPairs } from '../../auth/masking.js';
import type { Answer } from '../client/webhook-client.js';

/** What an attempt sent and received, besides the event. */
export interface AttemptExchange {
  /** The headers of the request, with the signatures. */
  sent: Record<string, string>;
  /** The response, without secrets; null if there was none. */
  received: ReceivedResponse | null;
}

interface ReceivedResponse {
  headers: Record<string, string>;
  /** At most the first 4 KiB. */
  body: string;
  /** True if the body may have been longer. */
  isCut: boolean;
}

/**
 * The exchange of an attempt as it is stored: JSON as text, because a response may contain characters that PostgreSQL's
 * JSON types reject.
 */
export function exchangeText(sent: Record<string, string>, { status, headers = {}, body, isCut }: Answer): string {
  const received = { headers: maskHeaders(responseHeaderPairs(headers)), body: maskText(body), isCut: isCut ?? false };
  return JSON.stringify({ sent, received: status === undefined ? null : received } satisfies AttemptExchange);
}

/** A stored exchange; null for attempts that sent nothing, and for those of earlier releases. */
export const exchangeIn = (text: string | null): AttemptExchange | null =>
  text === null ? null : (JSON.parse(text) as AttemptExchange);
