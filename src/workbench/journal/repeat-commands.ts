import { AS_OF_HEADER } from '../../common/as-of/as-of-hooks.js';
import { hasActingCharacters, withoutActingCharacters } from '../../common/text/acting-characters.js';
import { NAMES_HEADER } from '../../names/vocabulary.js';
import type { RecordedDetail } from './recorded-request.js';

/** Commands that send a request again. */
interface RepeatCommands {
  cli: string;
  curl: string;
  fixture: string;
  node: string;
  python: string;
}

/** The parts of a request that the commands need. */
export type Repeatable = Pick<
  RecordedDetail,
  'url' | 'scheme' | 'parameters' | 'body' | 'contentType' | 'names' | 'headers'
> & {
  /** The URL that leads to this service, where `url` has a host that is not ours. */
  urlHere: string;
};

type Pair = [name: string, value: string];

/** A request, ready to be written as a command. */
interface Call {
  method: string;
  url: string;
  scheme: RecordedDetail['scheme'];
  /** With lists as they are. */
  params: Record<string, string | string[]>;
  /** The same, with a pair for each value of a list. */
  pairs: Pair[];
  /** True if the parameters belong in a form body. */
  hasForm: boolean;
  json: string | undefined;
  /** The headers that choose names and a date. */
  chosen: Pair[];
  /** Notes for the developer, such as values to fill in first. */
  notes: string[];
}

/**
 * Commands for the CLI, curl, Node.js and Python, and a file for `marquee fixtures`. Secrets come from the environment variables that the CLI reads. Whoever sent the
 * request chose its texts, so no command takes one as an option, a file or a placeholder.
 */
export function repeatCommands(method: string, request: Repeatable): RepeatCommands {
  const call = callOf(method, request);
  return { cli: cliOf(call), curl: curlOf(call), fixture: fixtureOf(call), node: nodeOf(call), python: pythonOf(call) };
}

function callOf(method: string, request: Repeatable): Call {
  const { url, urlHere, scheme, parameters, body, contentType } = request;
  const isMultipart = contentType?.startsWith('multipart/') === true;
  const isOctets = contentType?.startsWith('application/octet-stream') === true;
  const notes = [
    ...(url === urlHere ? [] : ['The request named another host; this is the URL of the service.']),
    ...(isMultipart || isOctets ? ['The journal does not keep files: add the file.'] : []),
    ...(body.truncated && !isMultipart && !isOctets ? ['The journal does not keep this body: add it.'] : []),
  ];
  return {
    method,
    url: urlHere,
    scheme,
    params: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(textOf) : textOf(value),
      ]),
    ),
    pairs: pairsOf(parameters),
    hasForm: isFormType(contentType),
    json: body.text ?? undefined,
    chosen: chosenHeaders(request),
    notes,
  };
}

const chosenHeaders = ({ names, headers = {} }: Repeatable): Pair[] =>
  Object.entries({ [NAMES_HEADER]: names, [AS_OF_HEADER]: headers[AS_OF_HEADER] }).filter(
    (pair): pair is Pair => pair[1] !== undefined,
  );

/** Parameters as they are sent, lists with a pair for each value. */
export const pairsOf = (parameters: Record<string, unknown>): Pair[] =>
  Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((each): Pair => [name, textOf(each)]));

/** True if a request has its parameters in the body. */
export const isFormType = (contentType: string | null): boolean =>
  contentType?.startsWith('application/x-www-form-urlencoded') === true;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A word of a shell. */
const quoted = (word: string): string =>
  hasActingCharacters(word)
    ? `$'${withoutActingCharacters(word.replace(/[\\']/g, '\\$&'))}'`
    : `'${word.replaceAll("'", "'\\''")}'`;

function cliOf({ method, url, scheme, pairs, json, chosen, notes }: Call): string {
  const words = [`npx marquee request --literal ${method} ${quoted(url)}`];
  if (json !== undefined) words.push(`--json ${quoted(json)}`);
  words.push(...headerOptions(chosen));
  if (scheme === 'BEARER') words.push('--header "Authorization: Bearer $MARQUEE_BEARER_TOKEN"');
  if (scheme === 'BASIC') words.push('--header "Authorization: Basic $MARQUEE_BASIC_CREDENTIALS"');
  if (pairs.length > 0) words.push('--', ...pairs.map(([name, value]) => quoted(`${name}=${value}`)));
  return [...notes.map((note) => `# ${note}`), words.join(' \\\n  ')].join('\n');
}

const headerOptions = (headers: readonly Pair[]) => headers.map((pair) => `--header ${quoted(pair.join(': '))}`);

/** `marquee sign` computes the header, since curl cannot. */
function curlOf(call: Call): string {
  const { method, pairs, json, chosen, notes, scheme, hasForm } = call;
  const signed = [method, quoted(urlOf(call)), ...formOf(call).map((pair) => quoted(pair.join('=')))];
  const headers = {
    OAUTH1: `--header "Authorization: $(npx marquee sign ${signed.join(' ')} | tail -n 1)"`,
    BEARER: '--header "Authorization: Bearer $MARQUEE_BEARER_TOKEN"',
    BASIC: '--header "Authorization: Basic $MARQUEE_BASIC_CREDENTIALS"',
    NONE: undefined,
  };
  const words = [
    `curl --globoff --request ${method} ${quoted(urlOf(call))}`,
    headers[scheme],
    ...headerOptions(chosen),
    json !== undefined && `--header 'content-type: application/json'`,
    json !== undefined && `--data-raw ${quoted(json)}`,
    hasForm && `--data-raw ${quoted(new URLSearchParams(pairs).toString().replaceAll('+', '%20'))}`,
  ].filter((word) => typeof word === 'string');
  return [...notes.map((note) => `# ${note}`), words.join(' \\\n  ')].join('\n');
}

/** A file for `marquee fixtures`. */
function fixtureOf({ method, url, params, json, chosen, notes }: Call): string {
  const path = new URL(url).pathname;
  const body: unknown = json === undefined ? undefined : parsed(json);
  const step = {
    name: 'request',
    method: method.toLowerCase(),
    path,
    ...(Object.keys(params).length > 0 && { params }),
    ...(body !== undefined && (Array.isArray(body) ? { params: body } : { json: body })),
    ...(chosen.length > 0 && { headers: Object.fromEntries(chosen) }),
  };
  const note = notes.length > 0 ? { note: notes.join(' ') } : {};
  return JSON.stringify({ _meta: { template_version: 0, ...note }, fixtures: [step] }, undefined, 2).replaceAll(
    '${',
    '$${',
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

/** The URL with parameters that do not belong in a form. */
function urlOf({ url, pairs, hasForm }: Call): string {
  const query = hasForm ? '' : new URLSearchParams(pairs).toString();
  return query === '' ? url : `${url}?${query.replaceAll('+', '%20')}`;
}

const formOf = ({ pairs, hasForm }: Call): Pair[] => (hasForm ? pairs : []);

/** A JSON value is an expression of JavaScript. */
const js = (value: unknown): string => JSON.stringify(value);

function nodeOf(call: Call): string {
  const { method, json, chosen, notes, scheme } = call;
  const form = formOf(call);
  const lines = notes.map((note) => `// ${note}`);
  if (scheme === 'OAUTH1')
    lines.push("import { createHmac } from 'node:crypto';", "import OAuth from 'oauth-1.0a';", '');
  lines.push(`const url = ${js(urlOf(call))};`);
  if (form.length > 0) lines.push(`const form = ${js(form)};`);
  if (scheme === 'OAUTH1')
    lines.push(
      'const oauth = new OAuth({',
      '  consumer: { key: process.env.MARQUEE_CONSUMER_KEY, secret: process.env.MARQUEE_CONSUMER_SECRET },',
      "  signature_method: 'HMAC-SHA1',",
      "  hash_function: (text, key) => createHmac('sha1', key).update(text).digest('base64'),",
      '});',
      'const token = { key: process.env.MARQUEE_ACCESS_TOKEN, secret: process.env.MARQUEE_ACCESS_TOKEN_SECRET };',
      `const signed = oauth.authorize({ url, method: ${js(method)}${form.length > 0 ? ', data: Object.fromEntries(form)' : ''} }, token);`,
    );
  const headers = [
    ...(scheme === 'OAUTH1' ? ['...oauth.toHeader(signed)'] : []),
    ...(scheme === 'BEARER' ? ['authorization: `Bearer ${process.env.MARQUEE_BEARER_TOKEN}`'] : []),
    ...(scheme === 'BASIC' ? ['authorization: `Basic ${process.env.MARQUEE_BASIC_CREDENTIALS}`'] : []),
    ...(json === undefined ? [] : ["'content-type': 'application/json'"]),
    ...chosen.map(([name, value]) => `${js(name)}: ${js(value)}`),
  ];
  const body = json !== undefined ? `, body: ${js(json)}` : form.length > 0 ? ', body: new URLSearchParams(form)' : '';
  lines.push(
    `const response = await fetch(url, { method: ${js(method)}, headers: { ${headers.join(', ')} }${body} });`,
    'console.log(response.status, await response.text());',
  );
  return lines.join('\n');
}

function pythonOf(call: Call): string {
  const { method, json, chosen, notes, scheme } = call;
  const form = formOf(call);
  const session =
    scheme === 'OAUTH1'
      ? [
          'from requests_oauthlib import OAuth1Session',
          '',
          'session = OAuth1Session(',
          '    os.environ["MARQUEE_CONSUMER_KEY"], os.environ["MARQUEE_CONSUMER_SECRET"],',
          '    os.environ["MARQUEE_ACCESS_TOKEN"], os.environ["MARQUEE_ACCESS_TOKEN_SECRET"],',
          ')',
        ]
      : ['import requests', '', 'session = requests.Session()'];
  if (scheme === 'BEARER')
    session.push('session.headers["Authorization"] = f"Bearer {os.environ[\'MARQUEE_BEARER_TOKEN\']}"');
  if (scheme === 'BASIC')
    session.push('session.headers["Authorization"] = f"Basic {os.environ[\'MARQUEE_BASIC_CREDENTIALS\']}"');
  session.push(...chosen.map(([name, value]) => `session.headers[${ascii(name)}] = ${ascii(value)}`));
  const body =
    json !== undefined
      ? `, data=${ascii(json)}.encode(), headers={"Content-Type": "application/json"}`
      : form.length > 0
        ? `, data=[${form.map(([name, value]) => `(${ascii(name)}, ${ascii(value)})`).join(', ')}]`
        : '';
  return [
    ...notes.map((note) => `# ${note}`),
    'import os',
    ...session,
    `response = session.request(${ascii(method)}, ${ascii(urlOf(call))}${body})`,
    'print(response.status_code, response.text)',
  ].join('\n');
}

/** A text as a literal of Python, which has `\U` for what JSON writes as two surrogates. */
const ascii = (text: string): string => JSON.stringify(text).replace(/[\u{80}-\u{10ffff}]/gu, pythonEscape);

function pythonEscape(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
