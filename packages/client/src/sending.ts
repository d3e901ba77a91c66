import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { MarqueeConnectionError, MarqueeError, rateLimitOf } from './errors.js';
import type { Pair } from './signing.js';
import type { Authorizer } from './tokens.js';

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
}

/** What came of an attempt: a response with its whole body, or the error of the connection. */
type Outcome = { response: Response; bytes: ArrayBuffer; authorization: string } | { error: unknown };

const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 8_000;
const UNAVAILABLE = new Set([502, 503, 504]);
const NO_BODY = new Set([204, 205, 304]);

/** Sends a request until it is answered, and throws unless it succeeds. Each attempt is signed anew. */
export async function send(request: Request, sending: Sending): Promise<Response> {
  const call = await callOf(request);
  for (let attempts = 1, isRenewed = false; ; attempts++) {
    const outcome = await attempt(call, sending);
    if ('response' in outcome && outcome.response.ok) return buffered(outcome);
    if (!isRenewed && 'response' in outcome && outcome.response.status === 401) {
      isRenewed = true;
      if (await sending.authorizer.renewed?.(outcome.authorization)) continue;
    }
    const waitMs = attempts <= sending.retries ? waitBefore(outcome, attempts, sending) : undefined;
    if (waitMs === undefined) throw errorOf(outcome, attempts, call);
    await pause(waitMs, undefined, { signal: call.signal }).catch(() => undefined);
    call.signal.throwIfAborted();
  }
}

async function callOf(request: Request): Promise<Call> {
  const { method, url, signal } = request;
  const headers = new Headers(request.headers);
  // The service carries out a request with the same key once, however often it arrives.
  const isRepeatable = method !== 'POST' && method !== 'DELETE';
  if (!isRepeatable && !headers.has('idempotency-key')) headers.set('idempotency-key', randomUUID());
  const body = request.body ? await request.arrayBuffer() : undefined;
  const isForm = headers.get('content-type')?.startsWith('application/x-www-form-urlencoded');
  const form = isForm && body ? [...new URLSearchParams(new TextDecoder().decode(body))] : [];
  return { method, url: new URL(url), headers, body, form, signal };
}

async function attempt({ method, url, headers, body, form, signal }: Call, sending: Sending): Promise<Outcome> {
  const { authorizer, timeoutMs } = sending;
  const signed = new Headers(headers);
  const authorization = await authorizer.header({ method, url, form, now: sending.now() });
  signed.set('authorization', authorization);
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

/** Milliseconds until the next attempt; undefined if the outcome is final. */
function waitBefore(outcome: Outcome, attempts: number, { maxWaitMs }: Sending): number | undefined {
  if ('error' in outcome) return backoff(attempts);
  const { status, headers } = outcome.response;
  const isInProgress = status === 409 && headers.has('retry-after');
  if (status !== 429 && !isInProgress && !UNAVAILABLE.has(status)) return undefined;
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
