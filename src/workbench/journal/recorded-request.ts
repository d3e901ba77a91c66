import { refusalReasonOf } from '../../auth/guards/signature.guard.js';
import { baseStringOf } from '../../auth/signature/signature.js';
import { closedSet } from '../../common/values/closed-set.js';
import type { Row } from '../../common/db/query/rows.js';
import { CUT, MAX_BASE_STRING, MAX_BODY, type AuthScheme, type CapturedRequest } from './captured-request.js';
import type { JournaledRequest } from './journaled-request.entity.js';
import {
  isUpload,
  maskBaseString,
  maskHeaders,
  responseHeaderPairs,
  maskText,
  maskValue,
  MAX_VALUE,
  type MaskingOptions,
} from '../../auth/masking.js';

const MAX_PATH = 2_048;
const MAX_CHANGES = 500;

export const SIGNATURE_VERDICTS = closedSet('SignatureVerdict', ['VALID', 'INVALID', 'REPLAYED']);
export type SignatureVerdict = (typeof SIGNATURE_VERDICTS)[number];

/** The findings about an OAuth 1.0a signature. */
interface RecordedSignature {
  verdict: SignatureVerdict;
  /** Why it is not valid, in the words of the log. */
  reason: string | null;
  /** The base string that the service signed, without secrets; null if it did not get that far. */
  baseString: string | null;
}

/** A body as text. */
export interface RecordedBody {
  /** Without secrets; null for files, and if there is none. */
  text: string | null;
  /** True if `text` is incomplete. */
  truncated: boolean;
  /** Length in bytes, if known. */
  bytes: number | null;
}

/** The record of a request besides the columns that it is found by. */
export interface RecordedDetail {
  /** The URL that the client called, without the query. */
  url: string;
  scheme: AuthScheme;
  /** Parameters of the query and of a form. */
  parameters: Record<string, unknown>;
  body: RecordedBody;
  contentType: string | null;
  userAgent: string | null;
  /** Headers without secrets, in the order in which they were sent; absent in requests of older releases. */
  headers?: Record<string, string>;
  /** The vocabulary that the request chose by its header; absent without one. */
  names?: string;
  signature: RecordedSignature | null;
  response: RecordedBody & { contentType: string | null; headers?: Record<string, string> };
  /** The fault that changed the response; absent in requests of older releases. */
  fault?: string | null;
  /** Ids of the changes that the request made, or tried to make. */
  changeIds: readonly string[];
}

/** A captured request as the journal stores it: with a URL, a verdict and bodies, and without secrets. */
export function recorded(request: CapturedRequest, applicationId: string): Row<JournaledRequest> {
  const { target, origin, endedAt, durationMs } = request;
  const sent = pathOf(target).slice(0, MAX_PATH);
  const path = maskText(sent);
  const options = { upload: isUpload(sent) };
  const detail: RecordedDetail = {
    url: `${origin}${path}`,
    scheme: request.scheme,
    parameters: parametersOf(request, options),
    body: bodyOf(request),
    contentType: request.contentType,
    userAgent: request.userAgent && maskText(request.userAgent.slice(0, MAX_VALUE)),
    headers: maskHeaders(pairsIn(request.headers)),
    ...(request.names !== undefined && { names: request.names.slice(0, MAX_VALUE) }),
    signature: signatureOf(request, options),
    response: responseOf(request, options),
    fault: request.fault ?? null,
    changeIds: request.changeIds?.slice(0, MAX_CHANGES) ?? [],
  };
  return {
    id: request.id,
    applicationId,
    requestId: request.requestId,
    createdAt: new Date(endedAt - durationMs).toISOString(),
    method: request.method,
    path,
    status: request.status,
    rejected: request.isRejected,
    unmatched: request.isUnmatched,
    durationMs: Math.round(durationMs * 10) / 10,
    accountId: request.accountId,
    userId: request.userId,
    detail: JSON.stringify(detail),
  };
}

function* pairsIn(headers: readonly string[]): Iterable<[string, string]> {
  for (let i = 0; i < headers.length; i += 2) yield [headers[i].toLowerCase(), headers[i + 1]];
}

const pathOf = (target: string): string => {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
};

/** Those of OAuth are part of the signature. */
function parametersOf({ query }: CapturedRequest, options: MaskingOptions): Record<string, unknown> {
  const own = Object.entries(query ?? {}).filter(([name]) => !name.startsWith('oauth_'));
  return maskParameters(Object.fromEntries(own), options);
}

const maskParameters = (parameters: Record<string, unknown>, options: MaskingOptions): Record<string, unknown> =>
  maskValue(parameters, { ...options, max: MAX_VALUE }) as Record<string, unknown>;

function bodyOf({ body, hasJson, contentLength: bytes }: CapturedRequest): RecordedBody {
  return { text: body === null ? null : maskText(body), truncated: hasJson && body === null, bytes };
}

function signatureOf(
  { method, signatureCheck, refusal, refusedBecause }: CapturedRequest,
  options: MaskingOptions,
): RecordedSignature | null {
  const rejected = refusal ? refusalReasonOf(refusal) : null;
  if (!signatureCheck) {
    const isSigned = refusal && refusal.kind !== 'no-credentials' && refusal.kind !== 'bearer';
    return isSigned ? { verdict: 'INVALID', reason: rejected, baseString: null } : null;
  }
  const { parameters, uri, isValid } = signatureCheck;
  const whole = maskBaseString(baseStringOf(method, uri, parameters), options);
  const baseString = whole.length > MAX_BASE_STRING ? `${whole.slice(0, MAX_BASE_STRING)}${CUT}` : whole;
  if (!isValid) return { verdict: 'INVALID', reason: rejected, baseString };
  return refusedBecause?.startsWith('nonce-')
    ? { verdict: 'REPLAYED', reason: refusedBecause, baseString }
    : { verdict: 'VALID', reason: null, baseString };
}

const responseOf = (
  { answer, answerBytes: bytes, answerType, answerHeaders }: CapturedRequest,
  options: MaskingOptions,
): RecordedDetail['response'] => ({
  headers: maskHeaders(responseHeaderPairs(answerHeaders)),
  text: answer === null ? null : maskText(answer, options),
  truncated: answer !== null && bytes !== null && bytes > MAX_BODY,
  bytes,
  contentType: answerType,
});

/**
 * The record of a request. Releases before masked by fewer rules, and kept the bodies of uploads, so whatever is
 * shown is masked once more.
 */
export function detailOf({ path, detail }: Pick<Row<JournaledRequest>, 'path' | 'detail'>): RecordedDetail {
  const kept = JSON.parse(detail) as RecordedDetail;
  const options = { upload: isUpload(path) };
  const { body, response, signature } = kept;
  const mask = (text: string | null) => text && maskText(text, options);
  return {
    ...kept,
    url: maskText(kept.url),
    userAgent: mask(kept.userAgent),
    parameters: maskParameters(kept.parameters, options),
    body: options.upload
      ? { ...body, text: null, truncated: body.truncated || body.text !== null }
      : { ...body, text: mask(body.text) },
    signature: signature && {
      ...signature,
      baseString: signature.baseString && maskBaseString(signature.baseString, options),
    },
    response: { ...response, text: mask(response.text) },
  };
}
