import type { OpenAPIObject } from '@nestjs/swagger';
import { withoutActingCharacters } from '../../common/text/acting-characters.js';
import { routePattern } from '../../common/text/patterns.js';
import { Clock } from '../../common/time/clock.js';
import { NAMES_HEADER, type Vocabulary } from '../../names/vocabulary.js';
import type { RunCommandOptions } from '../fixtures/run-options.js';
import { documentWithNamesOfX } from '../../operations/docs/document-names.js';
import { readOpenapi } from '../../operations/mcp/documents.js';
import { isObject } from '../../common/values/is-object.js';
import { baseUrlsOf, findCredentials, type FoundCredentials } from '../credentials/credentials.js';
import { CommandRefusal } from '../refusal.js';
import { authorizerOf } from '../request/authorize.js';
import { draft } from '../request/draft.js';
import { send } from '../request/send.js';
import { table } from '../table.js';
import type { Terminal } from '../terminal.js';
import { Alignment } from './alignment.js';
import { differencesOf, DRIFT_KINDS, type Difference } from './differences.js';
import { readRecording, type Exchange, type RecordedEntry } from './recording.js';

/** The options of `marquee drift`. */
export interface DriftOptions extends RunCommandOptions {
  map?: string[];
  caller?: string[];
  names: Vocabulary;
}

/** What the answers to an operation differ in. */
interface Drift extends Difference {
  operation: string;
  /** Where the first one is in the record. */
  from: string;
  times: number;
}

/** Sends the requests of a record, and prints the differences and a summary. A difference is a CommandRefusal. */
export async function drift(path: string, options: DriftOptions, terminal: Terminal): Promise<void> {
  const found = readRecording(path);
  const recording = answeredByOneApi(found);
  const credentials = findCredentials(options);
  const own = JSON.parse(await readOpenapi()) as OpenAPIObject;
  const document = options.names === 'x' ? documentWithNamesOfX(own) : own;
  const constants = constantsIn(document);
  const paths = pathsOf(document);
  const alignment = new Alignment([...accountsOf(recording, credentials, options), ...pairsOf(options.map)]);
  const callers = new Map(pairsOf(options.caller));
  const clock = new Clock();
  const drifts = new Map<string, Drift>();
  const answered = new Map<string, number>();
  for (const exchange of recording) {
    const caller = callers.get(exchange.token ?? '');
    const signer = caller === undefined ? credentials : findCredentials({ credentials: [caller] });
    const here = await answerTo(alignment.request(exchange, clock.ms()), exchange, signer, options);
    const operation = operationOf(paths, exchange);
    answered.set(operation, (answered.get(operation) ?? 0) + 1);
    if (exchange.status < 300 && here.status < 300) alignment.learn(exchange.answer, here.answer);
    for (const each of differencesOf(exchange, here, { constants, idOf: (id) => alignment.idOf(id) })) {
      const key = JSON.stringify([operation, each]);
      const before = drifts.get(key);
      if (before) before.times++;
      else drifts.set(key, { operation, ...each, from: exchange.from, times: 1 });
    }
  }
  const skipped = found.length - recording.length;
  report({ differences: [...drifts.values()], answered, skipped }, options, terminal);
}

/** The exchanges with hosts that have paths of a version, as an API has, and that were answered. All others may be anything. */
function answeredByOneApi(entries: readonly RecordedEntry[]): Exchange[] {
  // of another scheme, the path may be a URL itself
  const isOfApi = ({ protocol, pathname }: URL) => /^https?:$/.test(protocol) && /^\/\d+\//.test(pathname);
  const hosts = new Set(entries.filter(({ url }) => isOfApi(url)).map(({ url }) => url.host));
  const answered = entries.filter(({ url, status }) => hosts.has(url.host) && status !== 0);
  return answered.map(({ read }) => read());
}

interface Report {
  differences: readonly Drift[];
  /** The number of requests, by operation. */
  answered: ReadonlyMap<string, number>;
  /** How many requests of the record were not sent. */
  skipped: number;
}

function report({ differences, answered, skipped }: Report, { json }: DriftOptions, terminal: Terminal): void {
  const summary = [...answered].map(([operation, requests]) => ({
    operation,
    requests,
    ...Object.fromEntries(
      DRIFT_KINDS.map((kind) => [
        kind,
        differences.filter((each) => each.operation === operation && each.kind === kind).length,
      ]),
    ),
  }));
  if (json) terminal.out(`${JSON.stringify({ differences, summary, skipped }, null, 2)}\n`);
  else {
    const width = terminal.width ?? Infinity;
    terminal.out(`${table(differences.map(lineOf), 'No answer differs.', ['times'])(width)}\n\n`);
    terminal.out(`${table(summary, 'No request was sent.', ['requests', ...DRIFT_KINDS])(width)}\n`);
    if (skipped > 0)
      terminal.out(`\n${skipped} requests were skipped: no answer, or a host without paths such as /12/.\n`);
  }
  if (differences.length > 0)
    throw new CommandRefusal(`${differences.length} differences in ${answered.size} operations`);
}

const lineOf = ({ operation, kind, where, recorded, here, times, from }: Drift) => ({
  ...{
    operation: withoutActingCharacters(operation),
    kind,
    where: withoutActingCharacters(where),
    recorded: withoutActingCharacters(recorded),
    here,
    times,
    from: withoutActingCharacters(from),
  },
});

/** The first account that the record names is that of the credentials, and the second one their second one. */
function accountsOf(
  recording: readonly Exchange[],
  { credentials }: FoundCredentials,
  { sandbox }: DriftOptions,
): [string, string][] {
  const recorded = recording.flatMap(({ url }) => /\/accounts\/([0-9a-z]+)/.exec(url.pathname)?.[1] ?? []);
  const first = (sandbox ? credentials.sandbox_account_id : undefined) ?? credentials.account_id;
  return [...new Set(recorded)].flatMap((id, i): [string, string][] => {
    const here = [first, credentials.second_account_id][i];
    return here ? [[id, here]] : [];
  });
}

const pairsOf = (given: readonly string[] = []): [string, string][] =>
  given.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]);

async function answerTo(
  { url, form, json }: Pick<Exchange, 'url' | 'form' | 'json'>,
  { method }: Exchange,
  credentials: FoundCredentials,
  { names, sandbox = false }: DriftOptions,
): Promise<{ status: number; answer: unknown }> {
  const path = pathHere(url);
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const request = draft(
    {
      ...{ method, path, sandbox, literal: true, headers: [[NAMES_HEADER, names]] },
      params: hasBody ? form : [...url.searchParams],
      ...(json !== undefined && { json: JSON.stringify(json) }),
    },
    credentials.credentials,
    baseUrlsOf(credentials.credentials),
  );
  if (hasBody) request.url += url.search;
  const answer = await send(await authorizerOf(credentials)(request));
  const text = await answer.text();
  try {
    return { status: answer.status, answer: JSON.parse(text) };
  } catch {
    return { status: answer.status, answer: text };
  }
}

/** A path of a document, with its operations. */
interface DocumentPath {
  pattern: RegExp;
  item: OpenAPIObject['paths'][string];
}

/** The paths of a document; those without parameters first. */
const pathsOf = ({ paths }: OpenAPIObject): DocumentPath[] =>
  Object.keys(paths)
    .sort((one, other) => one.split('{').length - other.split('{').length)
    .map((path) => ({ pattern: routePattern(path.replace(/\{(\w+)\}/g, ':$1')), item: paths[path] }));

/** The version that this service has, whichever the record names. */
const pathHere = ({ pathname }: URL): string => pathname.replace(/^\/\d+\//, '/12/');

/** A segment of a path that is no id: a version or a word. */
const NO_ID = /^(\d{1,2}(\.\d)?|[a-z_]*(\.json)?)$/;

/** The id of the operation that takes a request; otherwise its method and path, without ids. */
function operationOf(paths: readonly DocumentPath[], { method, url }: Exchange): string {
  const path = pathHere(url);
  const name = method.toLowerCase() as 'get';
  const known = paths.find(({ pattern, item }) => item[name] && pattern.test(path))?.item[name]?.operationId;
  const segments = path.split('/').map((segment) => (NO_ID.test(segment) ? segment : '{}'));
  return known ?? `${method} ${segments.join('/')}`;
}

/** All constants of a document. */
function constantsIn(value: unknown, into = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const each of value) constantsIn(each, into);
  else if (isObject(value))
    for (const [name, each] of Object.entries(value)) {
      if (name === 'enum' && Array.isArray(each)) for (const constant of each) into.add(String(constant));
      else if (name === 'const') into.add(String(each));
      else constantsIn(each, into);
    }
  return into;
}
