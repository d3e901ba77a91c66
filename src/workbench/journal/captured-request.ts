import type { FastifyReply, FastifyRequest } from 'fastify';
import { senderOf } from '../../auth/guards/sender.js';
import { isBasicHeader } from '../../auth/headers/basic-header.js';
import { isBearerHeader } from '../../auth/headers/bearer-header.js';
import type { Refusal, SignatureCheck } from '../../auth/signature/signed-request.js';
import { closedSet } from '../../common/closed-set.js';
import { newId } from '../../common/entity/ids.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import { swapJson } from '../../names/swap-json.js';
import { NAMES_HEADER } from '../../names/vocabulary.js';

/** Larger bodies are not kept; of a larger text response, the beginning is. In bytes. */
export const MAX_BODY = 16_384;
const EXCERPT = 2_048;

export const AUTH_SCHEMES = closedSet('AuthScheme', ['OAUTH1', 'BEARER', 'BASIC', 'NONE']);
export type AuthScheme = (typeof AUTH_SCHEMES)[number];

/**
 * What the journal needs of an answered request, as plain JSON. Under load most requests are never stored, so nothing is
 * masked or formatted before.
 */
export interface CapturedRequest {
  id: string;
  /** The application, or the consumer key of one that rejected requests name. */
  applicationId?: string;
  consumerKey?: string;
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
  /** The vocabulary that the request chose by its header. */
  names?: string;
  query: unknown;
  /** The text of a JSON body of at most MAX_BODY bytes, which takes less memory than its objects. */
  body: string | null;
  hasJson: boolean;
  signatureCheck?: SignatureCheck;
  /** Why the signature was rejected. */
  refusal?: Pick<Refusal, 'kind' | 'because'>;
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
export interface CapturedAnswer {
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
  const consumerKey = applicationId === undefined ? refusal?.consumerKey : undefined;
  if (applicationId === undefined && consumerKey === undefined) return undefined;
  const { target, origins, isAtX } = originOf(raw);
  // with the names that the client sent
  const asSent = (given: unknown) => (isAtX ? swapJson(given) : given);
  const contentLength = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  const isSmall = contentLength !== null && contentLength <= MAX_BODY;
  const answerType = (reply.getHeader('content-type') as string | undefined) ?? null;
  const isText = answerType !== null && TEXTUAL.test(answerType);
  return {
    id: newId(now),
    applicationId,
    consumerKey,
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
    names: headers[NAMES_HEADER] as string | undefined,
    query: asSent(request.query),
    body: request.hasJson && isSmall ? JSON.stringify(asSent(request.body)) : null,
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

/** Captures the body of a response. It does not hold a long one, which would otherwise live as long as its request. */
export function capturedAnswer(payload: unknown): CapturedAnswer {
  if (typeof payload === 'string') return { text: payload, bytes: Buffer.byteLength(payload) };
  // long texts are bytes already
  if (!Buffer.isBuffer(payload)) return { text: null, bytes: null };
  const end = payload.length > MAX_BODY ? EXCERPT : payload.length;
  return { text: payload.toString('utf8', 0, end), bytes: payload.length };
}

function schemeOf({ signatureCheck, refusal, headers: { authorization = '' } }: FastifyRequest): AuthScheme {
  if (signatureCheck) return 'OAUTH1';
  if (isBearerHeader(authorization)) return 'BEARER';
  if (isBasicHeader(authorization)) return 'BASIC';
  return refusal && refusal.kind !== 'no-credentials' ? 'OAUTH1' : 'NONE';
}

/**
 * The request as texts: one of the short values, a line each, and the long ones. No value of a request line or a header
 * contains a line break. JSON would take several times as long.
 */
export function textsOf(request: CapturedRequest): string[] {
  const { signatureCheck: check, refusal, query } = request;
  const hasQuery = query !== null && typeof query === 'object' && Object.keys(query).length > 0;
  const lines = [
    request.id,
    request.applicationId ?? '',
    request.consumerKey ?? '',
    request.requestId,
    request.endedAt,
    request.durationMs,
    request.method,
    request.origin,
    request.target,
    request.status,
    request.accountId ?? '',
    request.userId ?? '',
    request.scheme,
    request.contentType ?? '',
    request.contentLength ?? '',
    request.userAgent ?? '',
    request.hasJson ? 1 : '',
    check?.uri ?? '',
    check?.isValid ? 1 : '',
    refusal?.kind ?? '',
    refusal?.because ?? '',
    request.refusedBecause ?? '',
    request.changeIds?.join() ?? '',
    request.answer === null ? '' : 1,
    request.answerBytes ?? '',
    request.answerType ?? '',
    hasQuery ? JSON.stringify(query) : '',
    request.fault ?? '',
    request.names ?? '',
  ];
  return [lines.join('\n'), request.answer ?? '', request.body ?? '', check?.parameters ?? ''];
}

/** Reads what `textsOf` wrote. */
export function readTexts([lines, answer, body, parameters]: readonly string[]): CapturedRequest {
  const next = linesOf(lines);
  const text = () => next() || null;
  const number = () => {
    const line = next();
    return line === '' ? null : Number(line);
  };
  const request = {
    id: next(),
    applicationId: text() ?? undefined,
    consumerKey: text() ?? undefined,
    requestId: next(),
    endedAt: Number(next()),
    durationMs: Number(next()),
    method: next(),
    origin: next(),
    target: next(),
    status: Number(next()),
    accountId: text(),
    userId: text(),
    scheme: next() as AuthScheme,
    contentType: text(),
    contentLength: number(),
    userAgent: text(),
    hasJson: next() !== '',
  };
  const [uri, isValid, kind, because, refusedBecause] = [next(), next() !== '', text(), text(), text()];
  const changeIds = text()?.split(',');
  const hasAnswer = next() !== '';
  return {
    ...request,
    body: body === '' ? null : body,
    ...(parameters !== '' && { signatureCheck: { parameters, uri, isValid } }),
    ...(kind !== null && { refusal: { kind: kind as Refusal['kind'], ...(because !== null && { because }) } }),
    ...(refusedBecause !== null && { refusedBecause }),
    changeIds,
    answer: hasAnswer ? answer : null,
    answerBytes: number(),
    answerType: text(),
    query: JSON.parse(next() || '{}') as unknown,
    fault: text() ?? undefined,
    names: text() ?? undefined,
  };
}

/** Returns the lines of a text, one at each call. */
function linesOf(text: string): () => string {
  const lines = text.split('\n');
  let read = 0;
  return () => lines[read++] ?? '';
}
