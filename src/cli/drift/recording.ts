import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../common/values/is-object.js';
import { bounded } from '../bounded-value.js';
import { readText } from '../fixtures/fixture-file.js';
import { CommandRefusal } from '../refusal.js';
import { REQUEST_METHODS, WITH_JSON, type Method } from '../request/draft.js';

/** A request that another service received, and its answer. */
export interface Exchange {
  /** The file and the place in it. */
  from: string;
  method: Method;
  url: URL;
  /** The parameters of a form body. */
  form: [name: string, value: string][];
  /** A JSON body. */
  json?: unknown;
  /** The token that signed it; undefined if the record does not have it. */
  token?: string;
  /** When it was sent, in milliseconds since 1970; undefined if the record does not say it. */
  at?: number;
  status: number;
  /** The answer: JSON if it is, otherwise its text. */
  answer: unknown;
}

/** An entry of a record. Those of pages and sockets may be none that can be sent again. */
export interface RecordedEntry {
  url: URL;
  /** 0 without an answer. */
  status?: number;
  /** The whole entry. Throws a CommandRefusal if it cannot be sent again. */
  read: () => Exchange;
}

/** The entries of a HAR file or of a JSON file, or of all such files in a folder, in the order of their names. */
export function readRecording(path: string): RecordedEntry[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new CommandRefusal(`${path} does not exist`);
  const files = stats.isDirectory()
    ? readdirSync(path)
        .filter((name) => /\.(har|json)$/.test(name))
        .sort()
        .map((name) => join(path, name))
    : [path];
  const found = files.flatMap(entriesOf);
  if (found.length === 0) throw new CommandRefusal(`${path} has no recorded request`);
  return found;
}

/** JSON. YAML could refer to itself, and a small file could be an endless value. */
function documentOf(file: string): unknown {
  const text = readText(file);
  try {
    // proxies of Windows write a mark of the byte order
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // the rest of the message quotes the file
    const place = /at position \d+/.exec((error as Error).message)?.[0];
    throw new CommandRefusal(`${file} is not JSON${place ? `, ${place}` : ''}`);
  }
}

function entriesOf(file: string): RecordedEntry[] {
  const document = documentOf(file);
  const entries = isObject(document) && isObject(document.log) ? document.log.entries : [document].flat();
  if (!Array.isArray(entries))
    throw new CommandRefusal(
      `${file} must be a HAR file with log.entries, or have one object or a list of {request, response}`,
    );
  return entries.map((entry, i) => {
    const from = `${file}[${i}]`;
    const { request, response } = (isObject(entry) ? entry : {}) as Partial<Entry>;
    if (!request?.url || !URL.canParse(request.url)) throw new CommandRefusal(`${from}: request.url must be a URL`);
    const read = () => {
      try {
        return exchangeOf(entry as Partial<Entry>, from);
      } catch (error) {
        if (error instanceof CommandRefusal) throw error;
        throw new CommandRefusal(`${from} is no recorded request: ${(error as Error).message}`);
      }
    };
    return { url: new URL(request.url), status: response?.status, read };
  });
}

/** An entry of a HAR file, or the same with `body` instead of `postData` and `content`. */
function exchangeOf({ request, response, startedDateTime }: Partial<Entry>, from: string): Exchange {
  const method = REQUEST_METHODS.find((each) => each === request?.method?.toUpperCase());
  if (!method) throw new CommandRefusal(`${from}: request.method must be one of ${REQUEST_METHODS.join(', ')}`);
  if (!request?.url || !/^https?:\/\//i.test(request.url))
    throw new CommandRefusal(`${from}: request.url must be a URL of http or https`);
  if (!Number.isInteger(response?.status)) throw new CommandRefusal(`${from}: response.status must be a number`);
  const headers = new Map((request.headers ?? []).map(({ name, value }) => [name.toLowerCase(), value]));
  const at = Date.parse(startedDateTime ?? '');
  const token = /oauth_token="([^"]*)"/.exec(headers.get('authorization') ?? '')?.[1];
  const sent = sentIn(request, from);
  if (sent.json !== undefined && !WITH_JSON.includes(method))
    throw new CommandRefusal(`${from}: a ${method} request cannot have a JSON body; remove it`);
  const { content, body } = response!;
  const text = content?.encoding === 'base64' ? Buffer.from(content.text ?? '', 'base64').toString() : content?.text;
  return {
    ...{ from, method, url: new URL(request.url), status: response!.status!, answer: body ?? parsed(text ?? '') },
    ...sent,
    ...(token !== undefined && { token: decodeURIComponent(token) }),
    ...(!Number.isNaN(at) && { at }),
  };
}

interface Entry {
  startedDateTime?: string;
  request?: SentRequest;
  response?: { status?: number; body?: unknown; content?: { text?: string; encoding?: string } };
}

interface SentRequest {
  method?: string;
  url?: string;
  headers?: { name: string; value: string }[];
  body?: unknown;
  postData?: { mimeType?: string; text?: string; params?: { name: string; value?: string; fileName?: string }[] };
}

function sentIn({ body, postData }: SentRequest, from: string): Pick<Exchange, 'form' | 'json'> {
  const subject = `${from}: the body of the request`;
  if (isObject(body) || Array.isArray(body)) return { form: [], json: bounded(body, subject) };
  if (!postData) return { form: [] };
  const { mimeType = '', text, params } = postData;
  if (/json/.test(mimeType) && text) return { form: [], json: bounded(parsed(text), subject) };
  if (/^multipart\//.test(mimeType) || params?.some(({ fileName }) => fileName !== undefined))
    throw new CommandRefusal(`${from}: a record does not have the files of an upload; remove the request`);
  if (params?.some(({ name, value = '' }) => typeof name !== 'string' || typeof value !== 'string'))
    throw new CommandRefusal(`${from}: each of postData.params must have a name and a value that are texts`);
  if (params) return { form: params.map(({ name, value = '' }) => [name, value]) };
  return { form: [...new URLSearchParams(text)] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
