import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../common/clock.js';
import type { Hint } from '../../common/errors/api-error.js';
import { pairsOf } from '../../common/http/form-encoding.js';
import { originOf } from '../../common/http/public-urls.js';
import { isBearerHeader, readBearer } from '../headers/bearer-header.js';
import type { SignedNonce } from '../replay/signed-nonce.js';
import { isOAuthHeader, parseAuthorization } from '../headers/authorization-header.js';
import { ProtocolViolation } from '../headers/protocol-violation.js';
import { checkProtocol, hintOnProtocol, type Protocol } from './protocol.js';
import {
  baseStringOf,
  collect,
  isSignedBy,
  normalized,
  rawPathOf,
  type Collected,
  type OAuthParams,
  type Pair,
} from './signature.js';
import { explainSignature, type SignatureHelp } from './signature-help.js';

/** Why a request is refused; the guard turns it into the error of the endpoint's family. */
export interface Refusal {
  kind:
    | 'no-credentials'
    | 'bearer'
    | 'protocol'
    | 'out-of-bounds'
    | 'no-token'
    | 'unknown-application'
    | 'token-of-another'
    | 'unknown-token'
    | 'signature';
  details?: string;
  /** Outside production: what we signed, and where the client may have gone wrong. */
  help?: SignatureHelp;
  /** Where the protocol parameters are to blame: what is wrong with them. */
  hint?: Hint;
  /** What the request says it is, where its parameters could be read. */
  consumerKey?: string;
  /** Whose key and token these are, or were. */
  applicationId?: string;
  tokenId?: string;
  /** What the log is told beyond the kind. */
  because?: string;
  /** How far the timestamp was ahead of our clock, in seconds. */
  aheadSeconds?: number;
}

/** A request whose protocol parameters are in order; whether its signature is right is not known yet. */
export interface SignedRequest extends Protocol {
  method: string;
  oauth: OAuthParams;
  pairs: Pair[];
  /** The URIs under which the client may have signed. */
  uris: string[];
}

/** The secrets that a signature is made with. */
export interface Secrets {
  consumerSecret: string;
  /** Empty where the request has no token. */
  tokenSecret: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the signature is right; the request is admitted if this was not used before. */
    signedNonce?: SignedNonce;
    /** Why the signature was refused; Passport's callback cannot carry it. */
    refusal?: Refusal;
  }
}

/** The parameters of a request by their place, and taken together. */
interface GivenParameters extends Collected {
  header: Pair[];
  query: Pair[];
  form: Pair[];
}

/** How the requests of an endpoint have to be signed. */
export interface SignatureOptions {
  /** Whether the request has to name a token, or must not. */
  token: 'needed' | 'none';
  /** Whether to tell the client what it may have done wrong; never in production. */
  explain: boolean;
}

/** Reads and checks the protocol parameters of a request, wherever it has them. */
export function readSigned(
  request: FastifyRequest,
  clock: Clock,
  options: Pick<SignatureOptions, 'token'>,
): SignedRequest | Refusal {
  const header = request.headers.authorization ?? '';
  if (isBearerHeader(header)) return { kind: readBearer(header) === undefined ? 'no-credentials' : 'bearer' };
  const given = parametersOf(request);
  if (given instanceof ProtocolViolation) return { kind: 'protocol', details: given.message };
  return checkParameters(request, given, clock, options);
}

function checkParameters(
  request: FastifyRequest,
  { oauth, pairs }: Collected,
  clock: Clock,
  { token }: Pick<SignatureOptions, 'token'>,
): SignedRequest | Refusal {
  if (Object.keys(oauth).length === 0) return { kind: 'no-credentials' };
  const { oauth_consumer_key: consumerKey } = oauth;
  if (token === 'needed' && !oauth.oauth_token)
    return { kind: 'no-token', details: 'oauth_token is missing', consumerKey };
  if (token === 'none' && oauth.oauth_token)
    return { kind: 'protocol', details: 'oauth_token has no place in this request', consumerKey };
  const protocol = checkProtocol(oauth, clock);
  if (protocol instanceof ProtocolViolation) {
    const refusal = { details: protocol.message, hint: () => hintOnProtocol(oauth, clock), consumerKey };
    return protocol.kind === 'out-of-bounds'
      ? { kind: 'out-of-bounds', ...refusal, aheadSeconds: Number(oauth.oauth_timestamp) - clock.seconds() }
      : { kind: 'protocol', because: `protocol-${protocol.kind}`, ...refusal };
  }
  const { target, origins } = originOf(request.raw);
  const path = rawPathOf(target);
  return { ...protocol, method: request.method, oauth, pairs, uris: origins.map((origin) => `${origin}${path}`) };
}

/**
 * Whether a request was signed with these secrets. Sets `request.signedNonce` where it was, and `request.refusal` where
 * it was not, with `explain` including what the client may have done wrong.
 */
export function checkSignature(
  request: FastifyRequest,
  signed: SignedRequest,
  { consumerSecret, tokenSecret }: Secrets,
  { explain }: Pick<SignatureOptions, 'explain'>,
): boolean {
  const parameters = normalized(signed.pairs);
  const right = signed.uris.some((uri) =>
    isSignedBy(signed.signature, baseStringOf(signed.method, uri, parameters), consumerSecret, tokenSecret),
  );
  if (!right) {
    const help = explain ? helpFor(request, signed, { consumerSecret, tokenSecret }) : undefined;
    request.refusal = { kind: 'signature', ...(help && { help }) };
    return false;
  }
  request.signedNonce = {
    consumer: signed.consumerKey,
    token: signed.token,
    timestamp: signed.timestamp,
    nonce: signed.nonce,
  };
  return true;
}

function helpFor(request: FastifyRequest, signed: SignedRequest, secrets: Secrets): SignatureHelp | undefined {
  const given = parametersOf(request);
  if (given instanceof ProtocolViolation) return undefined;
  return explainSignature({
    method: signed.method,
    uris: signed.uris,
    pairs: given.pairs,
    header: given.header,
    query: given.query,
    form: given.form,
    rawQuery: queryOf(originOf(request.raw).target),
    signature: signed.signature,
    ...secrets,
  });
}

const queryOf = (target: string) => (target.includes('?') ? target.slice(target.indexOf('?') + 1) : '');

function parametersOf(request: FastifyRequest): GivenParameters | ProtocolViolation {
  const { authorization = '' } = request.headers;
  const parsed = isOAuthHeader(authorization) ? parseAuthorization(authorization) : { pairs: [] };
  if (parsed instanceof ProtocolViolation) return parsed;
  const rawQuery = queryOf(originOf(request.raw).target);
  const [header, query, form] = [parsed.pairs, rawQuery === '' ? [] : pairsOf(rawQuery), request.formPairs ?? []];
  const collected = collect(header, query, form);
  if (collected instanceof ProtocolViolation) return collected;
  return { header, query, form, oauth: collected.oauth, pairs: collected.pairs };
}
