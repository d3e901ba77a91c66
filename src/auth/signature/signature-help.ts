import { createHmac } from 'node:crypto';
import { percentDecode, percentEncode } from '../headers/percent.js';
import { mistakeOfSecrets } from './secret-mistakes.js';
import { baseString, baseStringOf, normalizeParameters, signatureOf, type Pair } from './signature.js';

/** A request as the service received it, and the secrets that should have signed it. */
export interface SignedParameters {
  method: string;
  uris: string[];
  /** All signed parameters. */
  pairs: Pair[];
  header: Pair[];
  query: Pair[];
  form: Pair[];
  /** The query string as sent. */
  rawQuery: string;
  /** The scheme and host that `X-Forwarded-*` names, although its sender is not trusted. */
  forwarded?: string;
  signature: string;
  consumerSecret: string;
  tokenSecret: string;
}

/** Help for a developer whose signature is wrong. It never contains a secret. */
export interface SignatureHelp {
  /** The base string to sign. */
  base_string?: string;
  /** The mistake of the client, if it is recognized. */
  differs?: string;
}

/** Parameters whose values are secrets themselves. */
const HIDDEN = /^(access_token|oauth_verifier|password)$/;

/** The largest input for which the base string is built some hundred times. More would delay other requests. */
const MAX_CHARACTERS = 4_000;
const MAX_PAIRS = 100;

function isTooLarge({ pairs, rawQuery }: SignedParameters): boolean {
  if (pairs.length > MAX_PAIRS) return true;
  const length = pairs.reduce((sum, [name, value]) => sum + name.length + value.length, rawQuery.length);
  return length > MAX_CHARACTERS;
}

/** One way to build a part of the signature; `mistake` describes what is wrong with it, if anything. */
interface Variant<T> {
  mistake?: string;
  value: T;
}

/** Parameters are normalized once for all URLs. */
type Build = (pairs: Pair[]) => (method: string, uri: string) => string;

/**
 * Tries known mistakes of clients, alone and combined, until one of them produces the signature that was
 * sent. Some hundred HMACs: for developers, not for production.
 */
export function explainSignature(signed: SignedParameters): SignatureHelp {
  if (isTooLarge(signed))
    return { differs: `the request is too long to compare; try at most ${MAX_CHARACTERS} characters` };
  const shown = signed.pairs.map(([name, value]): Pair => [name, HIDDEN.test(name) ? '***' : value]);
  const differs = differenceOf(signed);
  return { base_string: baseString(signed.method, signed.uris[0], shown), ...(differs !== undefined && { differs }) };
}

function differenceOf(signed: SignedParameters): string | undefined {
  let found: string[] | undefined;
  const consider = (...mistakes: (string | undefined)[]) => {
    const made = mistakes.filter((each) => each !== undefined);
    if (!found || made.length < found.length) found = made;
  };
  const signatures = signaturesOf(signed);
  const keys = keysOf(signed);
  const builds = buildsOf();
  const uris = urisOf(signed);
  for (const pairs of pairsOf(signed)) {
    for (const build of builds) {
      const baseFor = build.value(pairs.value);
      for (const uri of uris) {
        const base = baseFor(signed.method, uri.value);
        for (const key of keys) {
          const expected = signatureOf(base, ...key.value);
          const signature = signatures.find(({ value }) => value === expected);
          if (signature) consider(uri.mistake, pairs.mistake, build.mistake, key.mistake, signature.mistake);
        }
      }
    }
  }
  return found?.join('; ') ?? otherSecrets(signed) ?? otherHost(signed) ?? otherMethod(signed) ?? otherHash(signed);
}

/** Secrets with something around them, and other texts in their place. */
function otherSecrets({
  method,
  uris,
  pairs,
  signature,
  consumerSecret,
  tokenSecret,
}: SignedParameters): string | undefined {
  const sent = (wanted: string) => pairs.find(([name]) => name === wanted)?.[1] ?? '';
  const bases = uris.map((uri) => baseString(method, uri, pairs));
  const keys = { consumerKey: sent('oauth_consumer_key'), token: sent('oauth_token') };
  return mistakeOfSecrets(bases, signature, { ...keys, consumerSecret, tokenSecret });
}

/** Hosts of X, for which clients sign whose requests a proxy or an entry of a hosts file leads here. */
const HOSTS_OF_X = ['ads-api', 'ads-api-sandbox', 'api', 'upload'].flatMap((name) => [
  `${name}.x.com`,
  `${name}.twitter.com`,
]);

function otherHost(signed: SignedParameters): string | undefined {
  const { method, uris, pairs, forwarded, signature, consumerSecret, tokenSecret } = signed;
  const paths = new Set(uris.flatMap((uri) => [pathOf(uri), pathOf(uri).replace(/^\/sandbox(?=\/)/, '')]));
  const parameters = normalizeParameters(pairs);
  const isSigned = (url: string) =>
    signatureOf(baseStringOf(method, url, parameters), consumerSecret, tokenSecret) === signature;
  if (forwarded !== undefined && isSigned(`${forwarded}${pathOf(uris[0])}`))
    return `the URL was signed for ${forwarded}, as X-Forwarded-Host says, which is ignored: set TRUST_PROXY to the address of the proxy`;
  const host = HOSTS_OF_X.find((each) => [...paths].some((path) => isSigned(`https://${each}${path}`)));
  return (
    host &&
    `the URL was signed for https://${host}, but the request came here: make ${new URL(uris[0]).origin} the base URL of the client, so that it signs that`
  );
}

/** The ways to join the secrets. A wrong secret cannot be recognized. */
function keysOf({ consumerSecret, tokenSecret }: SignedParameters): Variant<[string, string]>[] {
  const keys: Variant<[string, string]>[] = [{ value: [consumerSecret, tokenSecret] }];
  if (tokenSecret !== '') {
    keys.push({ mistake: 'the token secret was left empty in the key', value: [consumerSecret, ''] });
    keys.push({
      mistake: 'the consumer secret and the token secret were swapped',
      value: [tokenSecret, consumerSecret],
    });
    keys.push({ mistake: 'the token secret was used in place of both secrets', value: [tokenSecret, tokenSecret] });
    keys.push({ mistake: 'the consumer secret was left empty in the key', value: ['', tokenSecret] });
  }
  return keys;
}

function signaturesOf({ signature }: SignedParameters): Variant<string>[] {
  const decoded = percentDecode(signature);
  const spaced = signature.replaceAll(' ', '+');
  return [
    { value: signature },
    ...(decoded !== undefined && decoded !== signature
      ? [{ mistake: 'oauth_signature was percent-encoded twice', value: decoded }]
      : []),
    ...(/^[0-9a-f]{40}$/i.test(signature)
      ? [
          {
            mistake: 'oauth_signature was written in hexadecimal, not in base64',
            value: Buffer.from(signature, 'hex').toString('base64'),
          },
        ]
      : []),
    ...(spaced !== signature ? [{ mistake: 'a "+" in oauth_signature was not percent-encoded', value: spaced }] : []),
  ];
}

function pairsOf({ pairs, header, query, form, rawQuery }: SignedParameters): Variant<Pair[]>[] {
  const without = (left: Pair[]) => pairs.filter((pair) => !left.includes(pair));
  const variants: Variant<Pair[]>[] = [{ value: pairs }];
  if (query.length > 0) variants.push({ mistake: 'the query parameters were not signed', value: without(query) });
  if (form.length > 0) variants.push({ mistake: 'the form parameters were not signed', value: without(form) });
  if (query.length > 0 && form.length > 0)
    variants.push({ mistake: 'neither query nor form parameters were signed', value: without([...query, ...form]) });
  const extra = header.filter(([name]) => !PROTOCOL_PARAMETERS.has(name));
  if (extra.length > 0)
    variants.push({ mistake: `${extra.map(([name]) => name).join(', ')} was not signed`, value: without(extra) });
  variants.push({
    mistake: 'only the oauth_ parameters of the header were signed',
    value: without([...query, ...form]),
  });

  const raw = rawPairs(rawQuery);
  const literal = raw.map(([name, value]): Pair => [percentDecode(name) ?? name, percentDecode(value) ?? value]);
  if (rawQuery.includes('+'))
    variants.push({
      mistake: 'a "+" in the query was signed as a plus sign; it means a space',
      value: [...without(query), ...literal],
    });
  const recoded = (mistake: string, how: (value: string) => string) => {
    const changed = pairs.map(([name, value]): Pair => [name, NEVER_RECODED.test(name) ? value : how(value)]);
    if (changed.some(([, value], i) => value !== pairs[i][1])) variants.push({ mistake, value: changed });
  };
  recoded('parameter values were percent-encoded twice', percentEncode);
  recoded('spaces in parameter values were encoded as "+" instead of %20', (value) => value.replaceAll(' ', '+'));
  if (raw.some(([, value], i) => value !== query[i]?.[1])) {
    variants.push({
      mistake: 'the query was signed without decoding it first',
      value: [...without(query), ...raw],
    });
  }
  return variants;
}

/** The ways to build the base string. */
function buildsOf(): Variant<Build>[] {
  return [
    { value: withParameters(normalizeParameters) },
    {
      mistake: "the characters ! * ' ( ) were not percent-encoded",
      value: withParameters((pairs) => assembled(pairs, encodeURIComponent)),
    },
    {
      mistake: 'percent escapes were written in lower case',
      value: (pairs) => {
        const parameters = inLowerCase(normalizeParameters(pairs));
        return (method, uri) => `${inLowerCase(baseStringOf(method, uri, ''))}${parameters}`;
      },
    },
    {
      mistake: 'the parameters were not sorted',
      value: withParameters((pairs) => assembled(pairs, percentEncode, { sorted: false })),
    },
    {
      mistake: 'the parameter list was not percent-encoded as a whole',
      value: withParameters((pairs) =>
        pairs
          .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
          .sort()
          .join('&'),
      ),
    },
  ];
}

function withParameters(put: (pairs: Pair[]) => string): Build {
  return (pairs) => {
    const parameters = put(pairs);
    return (method, uri) => `${method}&${percentEncode(uri)}&${parameters}`;
  };
}

const inLowerCase = (text: string) => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());

function assembled(pairs: Pair[], encode: (text: string) => string, { sorted = true } = {}): string {
  const list = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`);
  if (sorted) list.sort();
  return percentEncode(list.join('&'));
}

const BEHIND_TLS =
  ', but the service received http: if a proxy ends TLS, set TRUST_PROXY to its address, so that X-Forwarded-Proto counts';

const pathOf = (uri: string) => uri.slice(uri.indexOf('/', uri.indexOf('//') + 2));

/** The other URLs that the client may have signed. */
function urisOf({ uris, rawQuery }: SignedParameters): Variant<string>[] {
  const variants: Variant<string>[] = uris.map((value) => ({ value }));
  const add = (mistake: string, value: string) => {
    if (!variants.some((each) => each.value === value)) variants.push({ mistake, value });
  };
  for (const uri of uris) {
    const { protocol, hostname, port, pathname } = new URL(uri);
    const path = pathOf(uri);
    const portSuffix = port ? `:${port}` : '';
    const other = protocol === 'https:' ? 'http' : 'https';
    add(
      `the URL was signed with ${other}${other === 'https' ? BEHIND_TLS : ''}`,
      `${other}://${hostname}${portSuffix}${path}`,
    );
    if (port) add('the port was left out of the URL', `${protocol}//${hostname}${path}`);
    else add('the default port was signed', `${protocol}//${hostname}:${protocol === 'https:' ? 443 : 80}${path}`);
    for (const name of ['localhost', '127.0.0.1'])
      add(`the host ${name} was signed`, `${protocol}//${name}${portSuffix}${path}`);
    add(
      path.endsWith('/')
        ? 'the slash at the end of the path was left out'
        : 'a slash at the end of the path was signed',
      path.endsWith('/') ? uri.slice(0, -1) : `${uri}/`,
    );
    if (rawQuery) add('the query was signed as part of the URL', `${uri}?${rawQuery}`);
    const decoded = percentDecode(pathname);
    if (decoded && decoded !== path)
      add('the path was decoded before it was signed', `${protocol}//${hostname}${portSuffix}${decoded}`);
  }
  return variants;
}

function otherMethod({
  method,
  uris,
  pairs,
  signature,
  consumerSecret,
  tokenSecret,
}: SignedParameters): string | undefined {
  const used = ['GET', 'POST', 'PUT', 'DELETE', method.toLowerCase()].find(
    (each) =>
      each !== method &&
      uris.some((uri) => {
        const rest = baseString(method, uri, pairs).slice(method.length);
        return signatureOf(`${each}${rest}`, consumerSecret, tokenSecret) === signature;
      }),
  );
  return used && `the method ${used} was signed`;
}

/** Shown only if it is the signature of this request. */
function otherHash({
  method,
  uris,
  pairs,
  signature,
  consumerSecret,
  tokenSecret,
}: SignedParameters): string | undefined {
  const key = `${percentEncode(consumerSecret)}&${percentEncode(tokenSecret)}`;
  const used = ['sha256', 'sha512'].find((hash) =>
    uris.some(
      (uri) =>
        createHmac(hash, key)
          .update(baseString(method, uri, pairs))
          .digest('base64') === signature,
    ),
  );
  return used && `it uses HMAC-${used.toUpperCase()}, not HMAC-SHA1`;
}

const PROTOCOL_PARAMETERS = new Set([
  'oauth_consumer_key',
  'oauth_nonce',
  'oauth_signature',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_token',
  'oauth_version',
]);
const NEVER_RECODED = /^oauth_(?!callback$)/;

const rawPairs = (rawQuery: string): Pair[] =>
  rawQuery
    .split('&')
    .filter(Boolean)
    .map((piece) => {
      const cut = piece.indexOf('=');
      return cut < 0 ? [piece, ''] : [piece.slice(0, cut), piece.slice(cut + 1)];
    });
