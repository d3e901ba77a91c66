import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { AS_OF_HEADER } from '../../common/as-of/as-of-hooks.js';
import { invalid } from '../../common/errors/catalogue.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { originOf } from '../../common/http/urls/public-urls.js';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
const HEADER = 'idempotency-key';

/** Printable ASCII, as a header can have it. */
const KEY = /^[\x20-\x7e]{1,255}$/;
/** The key as a string of RFC 9651, as the draft of the IETF writes it. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

const METHODS = new Set(['POST', 'DELETE']);
/** Tokens must not be repeated, and the tools of the workbench change nothing of the API. */
const EXCLUDED = /^\/(((2|1\.1)\/)?oauth2?|i|workbench)\//;

/** True if requests with this method and path may have an Idempotency-Key. */
export const takesIdempotencyKey = (method: string, path: string): boolean =>
  METHODS.has(method) && !EXCLUDED.test(path);

/**
 * The Idempotency-Key of a request that creates or deletes; undefined if it has none. A quoted key is the same as the one
 * without quotes. Throws a 400 for a key that is not 1 to 255 printable ASCII characters.
 */
export function idempotencyKeyOf({ method, url, headers }: FastifyRequest): string | undefined {
  const given = headers[HEADER];
  if (given === undefined || !takesIdempotencyKey(method, url)) return undefined;
  const text = String(given);
  const key = QUOTED.exec(text)?.[1].replace(/\\(["\\])/g, '$1') ?? text;
  if (KEY.test(key)) return key;
  throw invalid(IDEMPOTENCY_KEY, `Expected 1 to 255 printable ASCII characters, got ${quotedValue(text)}`, {
    value: text,
  });
}

/** What a write with a key that it does not take is told. */
export const KEY_IGNORED =
  'Ignored Idempotency-Key: POST and DELETE of the API take it; a repeated PUT has the same effect anyway.';

/** True if a write has a key that it does not take. */
export const ignoresKey = ({ method, url, headers }: FastifyRequest): boolean =>
  headers[HEADER] !== undefined && method !== 'GET' && method !== 'HEAD' && !takesIdempotencyKey(method, url);

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  key: string;
  /** The hash of the key and of what it is unique for. */
  id: string;
  userId: string | null;
  /** The lock that its statements may wait for: see RunOptions. */
  lockKey: string;
  fingerprint: string;
}

/** A request of a user or an application; or with a token of an account, which `params` name, of nobody. */
export function keyedRequest(key: string, request: FastifyRequest): KeyedRequest {
  const { user, bearer, params } = request;
  const userId = user?.userId ?? null;
  const application = user?.application.id ?? bearer?.applicationId ?? null;
  const account = (params as { account_id?: string } | null)?.account_id;
  // an account is in one environment; a path without one may be in both
  const isOfSandbox = account === undefined && originOf(request.raw).environment === 'sandbox';
  return {
    key,
    id: hashOf(JSON.stringify([application, userId, account ?? null, key, ...(isOfSandbox ? ['sandbox'] : [])])),
    userId,
    lockKey: account ?? userId ?? application ?? key,
    fingerprint: fingerprintOf(request),
  };
}

/**
 * The hash of what a repetition must have in common with the first request: method, path, parameters and the date that it
 * chooses, if any. The parameters of the signature are not included, because each request is signed anew. Files are not
 * included either.
 */
function fingerprintOf({ method, url, headers, query, body }: FastifyRequest): string {
  const parts = [method, url.split('?', 1)[0], parametersOf(query), parametersOf(body)];
  const asOf = headers[AS_OF_HEADER];
  return hashOf(JSON.stringify(asOf === undefined ? parts : [...parts, asOf]));
}

/** The parameters in the order of their names; a JSON body as it is. */
function parametersOf(given: unknown): unknown {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return given ?? null;
  return Object.entries(given)
    .filter(([name]) => !name.startsWith('oauth_'))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
