import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import type { JournaledRequest } from './journaled-request.entity.js';
import { presentRequestDetail, type RecordedBodyView, type RequestWithEvents } from './journaled-request.presenter.js';
import { maskText } from './masking.js';
import { detailOf } from './recorded-request.js';
import { rejectionOf } from './rejection.js';

const MAX_PARAMETERS = 200;
const MAX_EVENTS = 50;
/** JSON is shown as it is when it is deeper: the white space of each line grows with the depth. */
const MAX_DEPTH = 40;

/** A class that colors a status. */
const toneOf = (status: number): string => (status < 300 ? 'good' : status < 400 ? '' : 'bad');

/** A request as a line of the list. */
export const presentLine = (request: Row<JournaledRequest>) => ({
  id: request.id,
  at: wireTime(request.createdAt),
  method: request.method,
  path: maskText(request.path),
  status: request.status,
  tone: toneOf(request.status),
  durationMs: request.durationMs,
  accountId: request.accountId,
  why: request.status < 400 ? null : rejectionOf(request.status, detailOf(request)),
});

/** A request as its own page shows it. */
export function presentRequestPage(found: RequestWithEvents) {
  const view = presentRequestDetail(found);
  const parameters = Object.entries(view.parameters as Record<string, unknown>);
  return {
    request: view,
    tone: toneOf(view.status),
    why: rejectionOf(view.status, found.detail),
    parameters: parameters.slice(0, MAX_PARAMETERS).map(([name, value]) => ({ name, value: textOf(value) })),
    moreParameters: Math.max(parameters.length - MAX_PARAMETERS, 0),
    body: presentText(view.body),
    response: presentText(view.response),
    events: view.events.slice(0, MAX_EVENTS),
    moreEvents: Math.max(view.events.length - MAX_EVENTS, 0),
    commands: [
      { title: 'Command line', text: view.commands.cli },
      { title: 'Node.js', text: view.commands.node },
      { title: 'Python', text: view.commands.python },
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
