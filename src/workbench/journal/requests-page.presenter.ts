import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import type { JournaledRequest } from './journaled-request.entity.js';
import { presentRequestDetail, type RecordedBodyView, type RequestWithEvents } from './journaled-request.presenter.js';
import { HINT_HEADER } from '../../common/http/hints/hints.js';
import { maskText } from '../../auth/masking.js';
import { RESENT_HEADER, unlikelyAgain } from './resend.rules.js';
import { detailOf, type RecordedDetail } from './recorded-request.js';
import { truncate } from '../../common/errors/api-error.js';
import { isObject } from '../../common/values/is-object.js';

const MAX_PARAMETERS = 200;
const MAX_EVENTS = 50;
/** JSON is shown as it is when it is deeper: the white space of each line grows with the depth. */
const MAX_DEPTH = 40;

/** A class that colors a status. */
const toneOf = (status: number): string => (status < 300 ? 'good' : status < 400 ? '' : 'bad');

/** A request as a line of the list. */
export const presentLine = (request: Row<JournaledRequest>) => {
  const detail = request.status < 400 && !request.unmatched ? undefined : detailOf(request);
  return { ...lineOf(request), ...(detail ? { ...whyOf(request.status, detail) } : { why: null, hint: null }) };
};

const lineOf = (request: Row<JournaledRequest>) => ({
  id: request.id,
  at: wireTime(request.createdAt),
  method: request.method,
  path: maskText(request.path),
  status: request.status,
  tone: toneOf(request.status),
  durationMs: request.durationMs,
  accountId: request.accountId,
});

/** Why the service rejected a request, and what helps. */
const whyOf = (status: number, detail: RecordedDetail) => ({
  why: rejectionOf(status, detail),
  hint: hintOf(detail.response),
});

/** A request as its own page shows it. */
export function presentRequestPage(found: RequestWithEvents) {
  const view = presentRequestDetail(found);
  const parameters = Object.entries(view.parameters as Record<string, unknown>);
  return {
    request: view,
    tone: toneOf(view.status),
    ...whyOf(view.status, found.detail),
    parameters: parameters.slice(0, MAX_PARAMETERS).map(([name, value]) => ({ name, value: textOf(value) })),
    moreParameters: Math.max(parameters.length - MAX_PARAMETERS, 0),
    headers: Object.entries(view.headers as Record<string, string>),
    responseHeaders: Object.entries(view.response_headers as Record<string, string>),
    idempotencyKey: found.detail.headers?.['idempotency-key'],
    isReplay: found.detail.response.headers?.['idempotent-replayed'] === 'true',
    resentFrom: found.detail.headers?.[RESENT_HEADER],
    notAgain: unlikelyAgain(found),
    body: presentText(view.body),
    response: presentText(view.response),
    events: view.events.slice(0, MAX_EVENTS),
    moreEvents: Math.max(view.events.length - MAX_EVENTS, 0),
    commands: [
      { title: 'Command line', text: view.commands.cli },
      { title: 'curl', text: view.commands.curl },
      { title: 'Node.js', text: view.commands.node },
      { title: 'Python', text: view.commands.python },
      { title: 'Fixture', text: view.commands.fixture },
    ],
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A body with its JSON on several lines. */
const presentText = ({ bytes, content_type, text, truncated }: RecordedBodyView) => ({
  about: [content_type, bytes === null ? null : `${bytes} bytes`, truncated ? 'incomplete' : null]
    .filter((each) => each !== null)
    .join(' · '),
  text: text === null ? null : indented(text),
});

/** JSON with line breaks and indentation; any other text as it is. */
function indented(text: string): string {
  if (depthOf(text) > MAX_DEPTH) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** At least the depth of a JSON text: brackets in its texts count, too. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of text) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
}

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
  return message === undefined ? null : truncate(message, MAX_LENGTH);
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

/** The first hint of an error, as it is sent outside production. */
function hintOf({ text, headers }: RecordedDetail['response']): string | null {
  const body = parsed(text);
  const errors = isObject(body) ? [body.errors, body.operation_errors].flat(2) : [];
  const hint = errors
    .map((error) => (isObject(error) ? error.hint : undefined))
    .find((each) => typeof each === 'string');
  return hint ?? headers?.[HINT_HEADER] ?? null;
}

/** Long responses are incomplete. */
function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
