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
import { headerText, isUpload, MAX_VALUE, type ResponseHeaders } from '../../auth/masking.js';

/** Larger bodies are not kept; of a larger text response, the beginning is. In bytes. */
export const MAX_BODY = 16_384;
const EXCERPT = 2_048;
/** Longer base strings are cut. */
export const MAX_BASE_STRING = 8_192;
/** Of the values of a larger form, the first ones are kept. In characters. */
const MAX_FORM = 65_536;
/** In place of what is not kept. */
export const CUT = '...';

export const AUTH_SCHEMES = closedSet('AuthScheme', ['OAUTH1', 'BEARER', 'BASIC', 'NONE']);
export type AuthScheme = (typeof AUTH_SCHEMES)[number];

/** What is small about an answered request, as plain JSON. */
interface CapturedFacts {
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
  /** The scheme and host that the client called. */
  origin: string;
  status: number;
  accountId: string | null;
  userId: string | null;
  scheme: AuthScheme;
  contentType: string | null;
  contentLength: number | null;
  userAgent: string | null;
  /** True if no endpoint has this path and method. */
  isUnmatched: boolean;
  /** The vocabulary that the request chose by its header. */
  names?: string;
  query: unknown;
  hasJson: boolean;
  /** Why the signature was rejected. */
  refusal?: Pick<SignatureRefusal, 'kind' | 'because'>;
  refusedBecause?: string;
  changeIds?: readonly string[];
  /** The fault that changed the response: its id, or `prefer`. */
  fault?: string;
  answerBytes: number | null;
  answerType: string | null;
}

/** The texts of an answered request, which may be long. */
interface CapturedTexts {
  /** The target that the client sent. */
  target: string;
  /** The text of a JSON body of at most MAX_BODY bytes that is no upload, which takes less memory than its objects. */
  body: string | null;
  /** The text of the response or its beginning; null for files. */
  answer: string | null;
  signatureCheck?: SignatureCheck;
  /** Names and values of the headers of the request in turn, and the headers of the response. */
  headers: readonly string[];
  answerHeaders: ResponseHeaders;
}

/** An answered request. Under load most are never stored, so nothing is masked or formatted before. */
export interface Capture {
  facts: CapturedFacts;
  texts: CapturedTexts;
}

/** A captured request that was read again. */
export type CapturedRequest = CapturedFacts & CapturedTexts;

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
export function captured(request: FastifyRequest, reply: FastifyReply, now: Date): Capture | undefined {
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
    facts: {
      id: newId(now),
      applicationId,
      consumerKey,
      isRejected: isRejected(request, reply),
      requestId: request.id,
      endedAt: now.getTime(),
      durationMs: reply.elapsedTime,
      method: request.method,
      origin: origins.at(-1) ?? '',
      status: reply.statusCode,
      accountId: request.echoesPath ? ((request.params as { account_id?: string }).account_id ?? null) : null,
      userId: user?.userId ?? null,
      scheme: schemeOf(request),
      contentType: headers['content-type'] ?? null,
      contentLength,
      userAgent: headers['user-agent'] ?? null,
      isUnmatched: request.is404,
      names: headers[NAMES_HEADER] as string | undefined,
      query: asSent(isSmall || raw.method === 'GET' ? request.query : excerptOf(request.query)),
      hasJson: request.hasJson === true,
      refusal: refusal && { kind: refusal.kind, because: refusal.because },
      refusedBecause: request.refused?.reason,
      changeIds: request.changeIds,
      fault: request.fault?.id,
      answerBytes: answer?.bytes ?? null,
      answerType,
    },
    texts: {
      target,
      body: request.hasJson && isSmall && !isUpload(target) ? JSON.stringify(asSent(request.body)) : null,
      answer: isText ? (answer?.text ?? null) : null,
      signatureCheck: request.signatureCheck && cutBaseString(request.signatureCheck),
      headers: raw.rawHeaders,
      answerHeaders: reply.getHeaders(),
    },
  };
}

/**
 * The parameters of a request, of a large form the first ones: to look for secrets in a megabyte would stop all others. A value is
 * kept as far as it is read later, or not at all, because no rule recognizes a part of a secret.
 */
export function excerptOf(parameters: unknown): unknown {
  let left = MAX_FORM;
  const kept = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(kept);
    if (typeof value !== 'string') return value;
    // what is beyond twice the length of a value that is shown is never read
    const text = value.slice(0, 2 * MAX_VALUE + 1);
    left = text.length > left ? 0 : left - text.length;
    return left > 0 || text === '' ? text : CUT;
  };
  if (typeof parameters !== 'object' || parameters === null) return parameters;
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, kept(value)]));
}

/** The parameters of a base string that are shown, in whole pairs. */
function cutBaseString(check: SignatureCheck): SignatureCheck {
  const max = 2 * MAX_BASE_STRING;
  if (check.parameters.length <= max) return check;
  const end = check.parameters.lastIndexOf('%26', max);
  return { ...check, parameters: end < 0 ? CUT : `${check.parameters.slice(0, end)}%26${CUT}` };
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
 * The request as one text: its facts as JSON, and what JSON would escape as it is, which takes half the time. Each text has
 * its length in front, so that none can be taken for the end of another one.
 */
export function textOf({
  facts,
  texts: { target, answer, body, signatureCheck, headers, answerHeaders },
}: Capture): string {
  const { uri, parameters, isValid } = signatureCheck ?? {};
  const texts = [target, answer, body, uri, parameters, isValid ? 'valid' : '', `${headers.length}`, ...headers];
  for (const name in answerHeaders) texts.push(name, headerText(answerHeaders[name]));
  texts.push(JSON.stringify(facts));
  let lengths = '';
  let all = '';
  for (const text of texts) {
    lengths += `${text?.length ?? ''},`;
    all += text ?? '';
  }
  return `${lengths}\n${all}`;
}

/** Reads what `textOf` wrote; throws if it did not. */
export function readText(text: string): CapturedRequest {
  const end = text.indexOf('\n');
  let at = end + 1;
  const [target, answer, body, uri, parameters, isValid, count, ...headers] = text
    .slice(0, end - 1)
    .split(',')
    .map((length) => (length === '' ? null : text.slice(at, (at += Number(length)))));
  const facts = JSON.parse(headers.pop()!) as CapturedFacts;
  const own = headers.splice(0, Number(count)) as string[];
  const pairs: [string, string][] = [];
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i]!, headers[i + 1]!]);
  return {
    ...facts,
    target: target!,
    answer,
    body,
    ...(uri !== null && { signatureCheck: { uri, parameters: parameters!, isValid: isValid !== '' } }),
    headers: own,
    // also of a header that is called __proto__
    answerHeaders: Object.fromEntries(pairs),
  };
}
