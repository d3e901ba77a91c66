import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { MarqueeConnectionError, MarqueeError, rateLimitOf } from './errors.js';
import type { Authorizer, Pair } from './signing.js';

export interface Sending {
  authorizer: Authorizer;
  fetch: typeof fetch;
  retries: number;
  timeoutMs: number;
  maxWaitMs: number;
  now(): number;
}

/** A call, of which each attempt sends the same. */
interface Call {
  method: string;
  url: URL;
  headers: Headers;
  body?: ArrayBuffer;
  form: Pair[];
  signal: AbortSignal;
  /** True for a POST or DELETE: it has an Idempotency-Key. */
  isKeyed: boolean;
  /** True if the service ignores the key: it would carry out each attempt. */
  isOnce: boolean;
  /** True if an attempt may have been carried out. */
  isUncertain: boolean;
}

/** What came of an attempt: a response with its whole body, or the error of the connection. */
type Outcome = { response: Response; bytes: ArrayBuffer; authorization?: string } | { error: unknown };

const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 8_000;
const UNAVAILABLE = new Set([502, 503, 504]);
const WORKBENCH = '/workbench/';
const NO_BODY = new Set([204, 205, 304]);

/** Sends a request until it is answered, and throws unless it succeeds. */
export async function send(request: Request, sending: Sending): Promise<Response> {
  const call = await callOf(request);
  try {
    return await repeat(call, sending);
  } catch (error) {
    if (call.isUncertain && error instanceof MarqueeError) error.isUncertain = true;
    throw error;
  }
}

/** Each attempt is signed anew. */
async function repeat(call: Call, sending: Sending): Promise<Response> {
  for (let attempts = 1, isRenewed = false; ; attempts++) {
    const outcome = await attempt(call, sending);
    if ('response' in outcome && outcome.response.ok) return buffered(outcome);
    call.isUncertain = mayBeDone(outcome) || (call.isUncertain && !isRejected(outcome, call));
    if (!isRenewed && 'response' in outcome && outcome.response.status === 401) {
      isRenewed = true;
      if (await sending.authorizer.renewed?.(outcome.authorization)) continue;
    }
    const isLast = attempts > sending.retries || (call.isOnce && call.isUncertain);
    const waitMs = isLast ? undefined : waitBefore(outcome, attempts, sending);
    if (waitMs === undefined) throw errorOf(outcome, attempts, call);
    await pause(waitMs, undefined, { signal: call.signal }).catch(() => undefined);
    call.signal.throwIfAborted();
  }
}

async function callOf(request: Request): Promise<Call> {
  const { method, url, signal } = request;
  const headers = new Headers(request.headers);
  const isKeyed = method === 'POST' || method === 'DELETE';
  const isOnce = isKeyed && new URL(url).pathname.includes(WORKBENCH);
  if (isKeyed && !headers.has('idempotency-key')) headers.set('idempotency-key', randomUUID());
  const body = request.body ? await request.arrayBuffer() : undefined;
  const isForm = headers.get('content-type')?.startsWith('application/x-www-form-urlencoded');
  const form = isForm && body ? [...new URLSearchParams(new TextDecoder().decode(body))] : [];
  return { method, url: new URL(url), headers, body, form, signal, isKeyed, isOnce, isUncertain: false };
}

async function attempt({ method, url, headers, body, form, signal }: Call, sending: Sending): Promise<Outcome> {
  const { authorizer, timeoutMs } = sending;
  const signed = new Headers(headers);
  const authorization = await authorizer.header({ method, url, form, now: sending.now() });
  if (authorization !== undefined) signed.set('authorization', authorization);
  try {
    const response = await sending.fetch(url, {
      method,
      headers: signed,
      body,
      // a signature is valid for one URL
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return { response, bytes: await response.arrayBuffer(), authorization };
  } catch (error) {
    signal.throwIfAborted();
    return { error };
  }
}

/** True if the service may have carried out an attempt: its response is lost, or its key is in use. */
const mayBeDone = (outcome: Outcome): boolean =>
  'error' in outcome || outcome.response.status >= 500 || isInProgress(outcome.response);

const isInProgress = ({ status, headers }: Response): boolean => status === 409 && headers.has('retry-after');

/** The service looks up the key before it answers 400: it carried out no attempt. */
const isRejected = (outcome: Outcome, { isKeyed }: Call): boolean =>
  isKeyed && 'response' in outcome && outcome.response.status === 400;

/** Milliseconds until the next attempt; undefined if the outcome is final. */
function waitBefore(outcome: Outcome, attempts: number, { maxWaitMs }: Sending): number | undefined {
  if ('error' in outcome) return backoff(attempts);
  const { status, headers } = outcome.response;
  if (status !== 429 && !isInProgress(outcome.response) && !UNAVAILABLE.has(status)) return undefined;
  const asked = askedWait(status, headers) ?? 0;
  return asked > maxWaitMs ? undefined : Math.max(asked, backoff(attempts));
}

/** The wait that the service asks for, by its own clock. */
function askedWait(status: number, headers: Headers): number | undefined {
  const retryAfter = headers.get('retry-after');
  if (retryAfter !== null && /^\d+$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const until =
    retryAfter !== null ? Date.parse(retryAfter) : status === 429 ? rateLimitOf(headers)?.reset.getTime() : NaN;
  const sent = Date.parse(headers.get('date') ?? '') || Date.now();
  return until === undefined || Number.isNaN(until) ? undefined : Math.max(0, until - sent);
}

/** Doubles with each attempt. A random half keeps clients apart that failed together. */
const backoff = (attempts: number): number =>
  Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2);

const buffered = ({ response, bytes }: { response: Response; bytes: ArrayBuffer }): Response =>
  new Response(NO_BODY.has(response.status) ? null : bytes, response);

function errorOf(outcome: Outcome, attempts: number, { url }: Call): Error {
  if ('error' in outcome) return new MarqueeConnectionError(url, attempts, outcome.error);
  const { status, headers } = outcome.response;
  return new MarqueeError({ status, headers, body: parsed(new TextDecoder().decode(outcome.bytes)), attempts });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
