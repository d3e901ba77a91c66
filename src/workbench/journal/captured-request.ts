import type { FastifyReply, FastifyRequest } from 'fastify';
import { senderOf } from '../../auth/guards/sender.js';
import { isBasicHeader, isBearerHeader } from '../../auth/headers/authorization-header.js';
import type { SignatureRefusal, SignatureCheck } from '../../auth/signature/signed-request.js';
import { closedSet } from '../../common/values/closed-set.js';
import { newId } from '../../common/entity/ids.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import { isAtX } from '../../names/names-hooks.js';
import { swapJson } from '../../names/swap-json.js';
import { NAMES_HEADER } from '../../names/vocabulary.js';
import { isUpload } from './masking.js';

/** Larger bodies are not kept; of a larger text response, the beginning is. In bytes. */
export const MAX_BODY = 16_384;
const EXCERPT = 2_048;

export const AUTH_SCHEMES = closedSet('AuthScheme', ['OAUTH1', 'BEARER', 'BASIC', 'NONE']);
export type AuthScheme = (typeof AUTH_SCHEMES)[number];

/**
 * The record of an answered request, as plain JSON. Under load most requests are never stored, so nothing is
 * masked or formatted before.
 */
export interface CapturedRequest {
  id: string;
  /** The application, or the consumer key of one that rejected requests name. */
  applicationId?: string;
  consumerKey?: string;
  /** True if nobody was authenticated, so that anybody may have sent it. */
  isRejected: boolean;
  requestId: string;
  /** When the response ended, in milliseconds since 1970, and the time since the request arrived. */
  endedAt: number;
  durationMs: number;
  method: string;
  /** The scheme and host that the client called, and the target that it sent. */
  origin: string;
  target: string;
  status: number;
  accountId: string | null;
  userId: string | null;
  scheme: AuthScheme;
  contentType: string | null;
  contentLength: number | null;
  userAgent: string | null;
  /** Names and values of the headers of the request in turn, and the headers of the response. */
  headers: readonly string[];
  answerHeaders: Record<string, unknown>;
  /** True if no endpoint has this path and method. */
  isUnmatched: boolean;
  /** The vocabulary that the request chose by its header. */
  names?: string;
  query: unknown;
  /** The text of a JSON body of at most MAX_BODY bytes that is no upload, which takes less memory than its objects. */
  body: string | null;
  hasJson: boolean;
  signatureCheck?: SignatureCheck;
  /** Why the signature was rejected. */
  refusal?: Pick<SignatureRefusal, 'kind' | 'because'>;
  refusedBecause?: string;
  changeIds?: readonly string[];
  /** The fault that changed the response: its id, or `prefer`. */
  fault?: string;
  /** The text of the response or its beginning; null for files. */
  answer: string | null;
  answerBytes: number | null;
  answerType: string | null;
}

/** The body of a response. */
interface CapturedAnswer {
  /** The text, of a long one the beginning; null if it is a stream. */
  text: string | null;
  bytes: number | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The response, for the journal. */
    answer?: CapturedAnswer;
  }
}

const TEXTUAL = /^(application\/(problem\+)?json|text\/|application\/x-www-form-urlencoded)/;

/** Captures an answered request. Undefined if nothing tells its application: nobody could read it. */
export function captured(request: FastifyRequest, reply: FastifyReply, now: Date): CapturedRequest | undefined {
  const { user, refusal, headers, raw, answer } = request;
  const applicationId = user ? user.application.id : senderOf(request).application;
  const consumerKey = applicationId === undefined ? (refusal?.consumerKey ?? claimedKey(request, reply)) : undefined;
  if (applicationId === undefined && consumerKey === undefined) return undefined;
  const { target, origins } = originOf(raw);
  // with the names that the client sent
  const asSent = (given: unknown) => (isAtX(raw) ? swapJson(given) : given);
  const contentLength = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  const isSmall = contentLength !== null && contentLength <= MAX_BODY;
  const answerType = (reply.getHeader('content-type') as string | undefined) ?? null;
  const isText = answerType !== null && TEXTUAL.test(answerType);
  return {
    id: newId(now),
    applicationId,
    consumerKey,
    isRejected: isRejected(request, reply),
    requestId: request.id,
    endedAt: now.getTime(),
    durationMs: reply.elapsedTime,
    method: request.method,
    origin: origins.at(-1) ?? '',
    target,
    status: reply.statusCode,
    accountId: request.echoesPath ? ((request.params as { account_id?: string }).account_id ?? null) : null,
    userId: user?.userId ?? null,
    scheme: schemeOf(request),
    contentType: headers['content-type'] ?? null,
    contentLength,
    userAgent: headers['user-agent'] ?? null,
    headers: raw.rawHeaders,
    answerHeaders: reply.getHeaders(),
    isUnmatched: request.is404,
    names: headers[NAMES_HEADER] as string | undefined,
    query: asSent(request.query),
    body: request.hasJson && isSmall && !isUpload(target) ? JSON.stringify(asSent(request.body)) : null,
    hasJson: request.hasJson === true,
    signatureCheck: request.signatureCheck,
    refusal: refusal && { kind: refusal.kind, because: refusal.because },
    refusedBecause: request.refused?.reason,
    changeIds: request.changeIds,
    fault: request.fault?.id,
    answer: isText ? (answer?.text ?? null) : null,
    answerBytes: answer?.bytes ?? null,
    answerType,
  };
}

const CLAIMED_KEY = /oauth_consumer_key(?:=|%3D)"?([\w-]{1,100})/;

/**
 * The consumer key that a request names that was rejected before anybody read its credentials. What a limit rejects is not
 * recorded: strangers would fill the journal of the application that they name.
 */
const claimedKey = ({ headers, url }: FastifyRequest, { statusCode }: FastifyReply): string | undefined =>
  statusCode === 429 || statusCode === 503
    ? undefined
    : (CLAIMED_KEY.exec(headers.authorization ?? '')?.[1] ?? CLAIMED_KEY.exec(url)?.[1]);

/** Captures the body of a response. It does not hold a long one, which would otherwise live as long as its request. */
export function capturedAnswer(payload: unknown): CapturedAnswer {
  if (typeof payload === 'string') return { text: payload, bytes: Buffer.byteLength(payload) };
  // long texts are bytes already
  if (!Buffer.isBuffer(payload)) return { text: null, bytes: null };
  const end = payload.length > MAX_BODY ? EXCERPT : payload.length;
  return { text: payload.toString('utf8', 0, end), bytes: payload.length };
}

/** Whoever saw a signed request can send it again: it is 401 then. */
function isRejected({ user, bearer, client, byApplication, withRequestToken }: FastifyRequest, reply: FastifyReply) {
  return reply.statusCode === 401 || !(user ?? bearer ?? client ?? byApplication ?? withRequestToken);
}

function schemeOf({ signatureCheck, refusal, headers: { authorization = '' } }: FastifyRequest): AuthScheme {
  if (signatureCheck) return 'OAUTH1';
  if (isBearerHeader(authorization)) return 'BEARER';
  if (isBasicHeader(authorization)) return 'BASIC';
  return refusal && refusal.kind !== 'no-credentials' ? 'OAUTH1' : 'NONE';
}

/**
 * The request as texts: one of JSON, and the long ones, which JSON would have to escape. No value can be taken for the
 * end of another one: each text has its length in front of it, and JSON quotes its values.
 */
export function textsOf({ answer, body, ...others }: CapturedRequest): string[] {
  return [JSON.stringify({ ...others, hasAnswer: answer !== null }), answer ?? '', body ?? ''];
}

/** Reads what `textsOf` wrote; throws if it did not. */
export function readTexts([json, answer, body]: readonly string[]): CapturedRequest {
  const { hasAnswer, ...others } = JSON.parse(json) as Omit<CapturedRequest, 'answer' | 'body'> & {
    hasAnswer: boolean;
  };
  return { ...others, answer: hasAnswer ? answer : null, body: body === '' ? null : body };
}
