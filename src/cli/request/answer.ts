import { STATUS_CODES } from 'node:http';
import { CommandRefusal } from '../refusal.js';
import type { ProcessTerminal } from '../terminal.js';

/** Headers that are always shown: the rate limits, and what the service did with parameters that it ignored. */
const SHOWN = /^(x-(account-)?rate-limit-|retry-after$|x-marquee-hint$)/;
const GREEN = '\u001b[32m';
const RED = '\u001b[31m';
const FAINT = '\u001b[2m';
const PLAIN = '\u001b[0m';

/** Maximum number of characters of a body without messages. */
const MAX_SHOWN = 300;

/** Prints status, URL and headers to standard error and the body to standard output; JSON is indented. */
export async function printAnswer(
  answer: Response,
  terminal: Pick<ProcessTerminal, 'out' | 'err' | 'coloured'>,
  { include, sent }: { include?: boolean; sent?: { method: string; url: string } },
): Promise<void> {
  const paint = (colour: string, text: string) => (terminal.coloured ? `${colour}${text}${PLAIN}` : text);
  const where = sent ? `  ${paint(FAINT, `${sent.method} ${placeOf(sent.url)}`)}` : '';
  terminal.err(`${paint(answer.ok ? GREEN : RED, statusLine(answer))}${where}\n`);
  for (const [name, value] of answer.headers)
    if (include || SHOWN.test(name)) terminal.err(`${paint(FAINT, `${name}: ${value}`)}\n`);

  const body = await answer.arrayBuffer().catch(() => {
    throw new CommandRefusal('the connection ended before the response was complete');
  });
  const bytes = Buffer.from(body);
  if (bytes.length === 0) return;
  terminal.out(/\bjson\b/.test(answer.headers.get('content-type') ?? '') ? pretty(bytes.toString('utf8')) : bytes);
}

const statusLine = ({ status, statusText }: Response) =>
  `${status} ${statusText || STATUS_CODES[status] || ''}`.trimEnd();

/** Cuts off the query, which may be long and contain tokens. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Indents JSON; any other text stays as it is. */
export function pretty(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    return text;
  }
}

/** The errors of a request, or of each operation of a batch. */
interface ErrorBody {
  detail?: unknown;
  errors?: ErrorItem[];
  operation_errors?: (ErrorItem[] | null)[];
}

interface ErrorItem {
  message?: string;
  details?: string;
}

/** The messages of an error body, or its beginning. */
export function messageOf(text: string): string {
  const { detail, errors, operation_errors: ofOperations } = errorBodyOf(text);
  const messages = [errors, ofOperations].flat(2).flatMap((error) => (error ? sentencesOf(error) : []));
  if (messages.length > 0) return messages.join('; ');
  return typeof detail === 'string' ? detail : text.slice(0, MAX_SHOWN);
}

function sentencesOf({ message, details }: ErrorItem): string[] {
  if (message === undefined) return [];
  return [details === undefined ? message : `${message} (${details})`];
}

function errorBodyOf(text: string): ErrorBody {
  try {
    const body = JSON.parse(text) as unknown;
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
