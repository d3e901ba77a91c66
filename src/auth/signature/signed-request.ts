import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../common/time/clock.js';
import type { Hint } from '../../common/errors/api-error.js';
import { pairsOf } from '../../common/http/bodies/form-encoding.js';
import { originOf } from '../../common/http/urls/public-urls.js';
import type { SignedNonce } from '../replay/signed-nonce.js';
import {
  isBearerHeader,
  isOAuthHeader,
  parseAuthorization,
  ProtocolViolation,
  readBearer,
} from '../headers/authorization-header.js';
import { checkProtocol, faultOfKeys, hintOnKeys, hintOnProtocol, type Protocol } from './protocol.js';
import {
  baseStringOf,
  collectParameters,
  isSignedBy,
  normalizeParameters,
  rawPathOf,
  type CollectedParameters,
  type OAuthParams,
  type Pair,
} from './signature.js';
import { explainSignature, type SignatureHelp } from './signature-help.js';

/** Why a request is refused; the guard turns it into the error of the endpoint's family. */
export interface SignatureRefusal {
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
  /** Outside production: what the service signed, and the likely mistake of the client. */
  help?: SignatureHelp;
  /** The problem with the protocol parameters or the keys, if they caused the refusal. */
  hint?: Hint;
  /** The consumer key, if the protocol parameters could be parsed. */
  consumerKey?: string;
  /** The ids of the application and token. */
  applicationId?: string;
  tokenId?: string;
  /** The detailed reason, for the log. */
  because?: string;
  /** Seconds that the timestamp is ahead of our clock. */
  aheadSeconds?: number;
}

/** A request whose protocol parameters are valid. Its signature is not checked yet. */
export interface SignedRequest extends Protocol {
  method: string;
  oauth: OAuthParams;
  pairs: Pair[];
  /** The base string URIs that are accepted. */
  uris: string[];
}

/** The check of a signature. */
export interface SignatureCheck {
  /** The parameters in the form of a base string. */
  parameters: string;
  /** The base string URI: that for which the signature is valid, else the one that the client most likely signed. */
  uri: string;
  isValid: boolean;
}

/** The secrets of a signature. */
export interface Secrets {
  consumerSecret: string;
  /** Empty where the request has no token. */
  tokenSecret: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the signature is valid. The request is admitted if the nonce was not used before. */
    signedNonce?: SignedNonce;
    /** The check of the signature. */
    signatureCheck?: SignatureCheck;
    /** Why the signature was refused. Passport's callback cannot carry it. */
    refusal?: SignatureRefusal;
  }
}

/** The parameters of a request by their place, and taken together. */
interface GivenParameters extends CollectedParameters {
  header: Pair[];
  query: Pair[];
  form: Pair[];
}

/** The signature that an endpoint requires. */
export interface SignatureOptions {
  /** The requirement of a token. */
  token: 'needed' | 'none';
  /** True if the answer explains the likely mistake; never in production. */
  explain: boolean;
}

/** Parses and checks the protocol parameters of a request, in the header, the query or the form. */
export function readSigned(
  request: FastifyRequest,
  clock: Clock,
  options: Pick<SignatureOptions, 'token'>,
): SignedRequest | SignatureRefusal {
  const header = request.headers.authorization ?? '';
  if (isBearerHeader(header)) return { kind: readBearer(header) === undefined ? 'no-credentials' : 'bearer' };
  const given = parametersOf(request);
  if (given instanceof ProtocolViolation) return { kind: 'protocol', details: given.message };
  return checkParameters(request, given, clock, options);
}

function checkParameters(
  request: FastifyRequest,
  { oauth, pairs }: CollectedParameters,
  clock: Clock,
  { token }: Pick<SignatureOptions, 'token'>,
): SignedRequest | SignatureRefusal {
  if (Object.keys(oauth).length === 0) return { kind: 'no-credentials' };
  const unprintable = faultOfKeys(oauth);
  if (unprintable) {
    const { kind, message: details } = unprintable;
    return { kind: 'protocol', because: `protocol-${kind}`, details, hint: () => hintOnKeys(oauth) };
  }
  const { oauth_consumer_key: consumerKey } = oauth;
  if (token === 'needed' && !oauth.oauth_token)
    return { kind: 'no-token', details: 'oauth_token is missing', consumerKey };
  if (token === 'none' && oauth.oauth_token)
    return { kind: 'protocol', details: 'oauth_token is not allowed in this request', consumerKey };
  const protocol = checkProtocol(oauth, clock);
  if (protocol instanceof ProtocolViolation) {
    const refusal = { details: protocol.message, hint: () => hintOnProtocol(oauth, clock), consumerKey };
    return protocol.kind === 'out-of-bounds'
      ? { kind: 'out-of-bounds', ...refusal, aheadSeconds: Number(oauth.oauth_timestamp) - clock.seconds() }
      : { kind: 'protocol', because: `protocol-${protocol.kind}`, ...refusal };
  }
  const { target, origins } = originOf(request.raw);
  const path = rawPathOf(target);
  const uris = origins.map((origin) => `${origin}${path}`);
  // the spread last: Node 20 takes ten times as long for one that is first
  return { method: request.method, oauth, pairs, uris, ...protocol };
}

/**
 * True if a request was signed with these secrets. Sets `request.signedNonce` if it was, else `request.refusal`; with
 * `explain` the refusal includes the likely mistake of the client.
 */
export function checkSignature(
  request: FastifyRequest,
  signed: SignedRequest,
  { consumerSecret, tokenSecret }: Secrets,
  { explain }: Pick<SignatureOptions, 'explain'>,
): boolean {
  const parameters = normalizeParameters(signed.pairs);
  const uri = signed.uris.find((each) =>
    isSignedBy(signed.signature, baseStringOf(signed.method, each, parameters), consumerSecret, tokenSecret),
  );
  request.signatureCheck = { parameters, uri: uri ?? signed.uris.at(-1) ?? '', isValid: uri !== undefined };
  if (uri === undefined) {
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
    forwarded: forwardedOrigin(request),
    signature: signed.signature,
    ...secrets,
  });
}

function forwardedOrigin({ headers }: FastifyRequest): string | undefined {
  const { 'x-forwarded-proto': scheme, 'x-forwarded-host': host } = headers;
  const isOrigin = typeof host === 'string' && /^[\w.-]{1,253}(:\d{1,5})?$/.test(host);
  return isOrigin ? `${scheme === 'https' ? 'https' : 'http'}://${host.toLowerCase()}` : undefined;
}

const queryOf = (target: string) => (target.includes('?') ? target.slice(target.indexOf('?') + 1) : '');

function parametersOf(request: FastifyRequest): GivenParameters | ProtocolViolation {
  const { authorization = '' } = request.headers;
  const parsed = isOAuthHeader(authorization) ? parseAuthorization(authorization) : { pairs: [] };
  if (parsed instanceof ProtocolViolation) return parsed;
  const rawQuery = queryOf(originOf(request.raw).target);
  const [header, query, form] = [parsed.pairs, rawQuery === '' ? [] : pairsOf(rawQuery), request.formPairs ?? []];
  const collected = collectParameters(header, query, form);
  if (collected instanceof ProtocolViolation) return collected;
  return { header, query, form, oauth: collected.oauth, pairs: collected.pairs };
}
