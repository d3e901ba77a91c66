import { percentEncodeTwice } from './headers/percent.js';

/** Replaces a secret, or what identifies a person. */
export const MASK = '***';

/** Maximum length of a value that the journal keeps whole. */
export const MAX_VALUE = 2_048;

/** Deeper JSON than any endpoint reads is masked as a whole. */
const MAX_DEPTH = 64;

/**
 * Requests that upload people or files. Their bodies are not kept, whatever they contain: the rules below find secrets and
 * identifiers by their names and forms, and an advertiser's own ids have neither.
 */
const UPLOAD =
  /\/(?:(?:custom_audiences|tailored_audiences|do_not_reach_lists)\/[^/]*\/users|media\/upload(?!\/(?:initialize|[^/]*\/finalize)\/?(?:[?#]|$))|measurement\/conversions\/[^/.?#]+)(?:[./?#]|$)/i;

/** True if the path of a request is one of an upload. Routing decodes it, too. */
export const isUpload = (path: string): boolean =>
  UPLOAD.test(path.replace(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16))));

/** Spelling and case of names do not count, nor the brackets of a list with the positions in them. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\[\d*\]|%5b\d*%5d|[-_ [\]]/g, '');
}

/** Fields of uploads that are bodies when they are sent as a form. */
const UPLOADED = new Set(['users', 'media', 'media_data', 'value', 'conversions'].map(plainName));

/** Identifiers of people, as requests and responses name them. */
export const PERSONAL_NAMES = [
  'email',
  'emails',
  'mail',
  'mails',
  'phone',
  'phones',
  'phone_number',
  'phone_numbers',
  'device_id',
  'hashed_device_id',
  'extra_device_ids',
  'device_ip_address',
  'handle',
  'platform_id',
  'twitter_id',
  'partner_user_id',
  'notification_email',
  'contact_phone',
  'contact_phone_extension',
  'address_email',
  'client_address_email',
  'tax_id',
  'tax_exemption_id',
  'hashed_email',
  'hashed_phone_number',
  'twclid',
  'twpid',
  'ip_address',
  // what people filled in, and the links of files with it
  'field_values',
  'download_url',
];
const PERSONAL = new Set(PERSONAL_NAMES.map(plainName));

const SECRET =
  /secret|passw|passphrase|credential|privatekey|apikey|authorization|cookie|verifier|clientassertion|accesskey|^(pwd|jwt|(mcp|x)?session(id)?|x?auth(key)?|pin|otp|totp)$|signature$|tokens?$/;
/** Positions in lists, which are no secrets. */
const POSITION = /^(next|previous|pagination)token$/;

/** The masking of the parts of a request. */
export interface MaskingOptions {
  /** True if the request uploads people or files. */
  upload?: boolean;
  /** Longer texts are cut. */
  max?: number;
}

/** True if a parameter or field with this name has a value that nobody else may see. */
function isHidden(name: string, { upload }: MaskingOptions): boolean {
  const plain = plainName(name);
  if (PERSONAL.has(plain) || (upload && UPLOADED.has(plain))) return true;
  return SECRET.test(plain) && !POSITION.test(plain);
}

/** Contained in every text that has something to mask. Most have nothing, and this is quick to see. */
const HINT =
  /secret|pass[-_ ]?(?:w|phrase)|credential|private|(?:api|access)[-_ ]?key|pwd|jwt|auth|cookie|verifier|assertion|session|signature|token|mail|phone|pin\b|t?otp\b|device|handle|platform|twitter|partner|twclid|twpid|ip[-_ ]?address|field[-_ ]?values|tax|download[-_ ]?url|@|%40|bearer|basic|[0-9a-f]{64}|eyj/i;

/** Values that their form reveals, and their masks. */
const FORMS: [form: RegExp, shown: string][] = [
  // user information of a URL
  [/\/\/[^\s/?#"'<>\\]{1,512}@/g, `//${MASK}@`],
  [/%3A%2F%2F(?:(?!%2F|%3F|%23|%26)[^\s&"'<>]){1,512}%40/gi, `%3A%2F%2F${MASK}%40`],
  [/[\p{L}\p{N}._+-]{1,64}(?:@|%40)[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/giu, MASK],
  [/\b(Bearer|Basic)(\s|%20)+(?=[\w.~+/%-]{0,512}[\d=]|[\w.~+/%-]{20})[\w.~+/%-]{8,}=*/gi, `$1 ${MASK}`],
  [/\boauth_(?:consumer_key|nonce|signature|token|verifier)="[^"]*"/gi, MASK],
  // a JSON web token
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, MASK],
  // SHA-256, as people are uploaded
  [/(?<![0-9A-Fa-f])[0-9A-Fa-f]{64}(?![0-9A-Fa-f])/g, MASK],
  // access tokens of this service, their secrets, consumer secrets and bearer tokens
  [
    /(?<![\w-])(?:\d{1,20}-[A-Za-z0-9]{40}|(?=[A-Za-z]{0,99}\d)(?:[A-Za-z0-9]{45}|[A-Za-z0-9]{50}|[A-Za-z0-9]{100}))(?![\w-])/g,
    MASK,
  ],
];

/** A name and its value in a query, a form or a header. */
const PAIR =
  /([A-Za-z][\w.-]{0,63}(?:(?:\[|%5B)\d{0,9}(?:\]|%5D))?)(=|%3D)("[^"]*"?|'[^']*'?|[^&#\s"'<>%]*(?:%(?!26)[^&#\s"'<>%]*)*)/g;

/** A name in front of a colon, and its value. OAuth has its values in a list of pairs. */
const LABEL = /([A-Za-z][\w.-]{0,63}):\s{0,4}(?!\/\/|OAuth\s)/g;
const LABELLED = /(?:(?:Bearer|Basic)\s{1,4})?(?:"[^"]*"?|'[^']*'?|[^\s"'<>,;&]+)/iy;

function maskLabelled(text: string, options: MaskingOptions): string {
  let shown = '';
  let from = 0;
  for (const { 0: label, 1: name, index } of text.matchAll(LABEL)) {
    if (index < from || !isHidden(name, options)) continue;
    LABELLED.lastIndex = index + label.length;
    if (!LABELLED.test(text)) continue;
    shown += `${text.slice(from, index)}${label}${MASK}`;
    from = LABELLED.lastIndex;
  }
  return shown + text.slice(from);
}

/** Headers in which proxies put the addresses of people. */
const ADDRESS = /forwarded|(^|-)ip$/;
const MAX_HEADERS = 100;

/** Headers without secrets and addresses. Of two with the same name, the last one is kept. */
export const maskHeaders = (headers: Iterable<[name: string, value: string]>): Record<string, string> =>
  Object.fromEntries(
    [...headers]
      .slice(0, MAX_HEADERS)
      .map(([name, value]) => [
        name.slice(0, MAX_VALUE),
        ADDRESS.test(name) || isHidden(name, {}) ? MASK : maskString(value, { max: MAX_VALUE }),
      ]),
  );

/** The headers of a response; a repeated one has a list. */
export type ResponseHeaders = Record<string, number | string | string[] | undefined>;

/** The value of a header of a response as text; of a repeated one, all of its values. */
export const headerText = (value: ResponseHeaders[string]): string =>
  Array.isArray(value) ? value.join(', ') : String(value ?? '');

/** The headers of a response as pairs of texts. */
export const responseHeaderPairs = (headers: Readonly<ResponseHeaders>): [name: string, value: string][] =>
  Object.entries(headers).map(([name, value]) => [name, headerText(value)]);

/** A text without what gives itself away by its form, or by a name in front of it. */
function maskForms(text: string, options: MaskingOptions): string {
  let shown = maskLabelled(text, options);
  for (const [form, instead] of FORMS) shown = shown.replace(form, instead);
  return shown.replace(PAIR, (all: string, name: string, equals: string) =>
    isHidden(name, options) ? `${name}${equals}${MASK}` : all,
  );
}

/** A text without secrets in it: a JSON text, a form, a base string, or any other one. */
export function maskText(text: string, options: MaskingOptions = {}): string {
  if (!options.upload && !HINT.test(text)) return text;
  if (text.startsWith('{') || text.startsWith('[')) {
    const json = parsed(text);
    if (json === undefined) return maskForms(maskBrokenJson(text, options), options);
    const shown = JSON.stringify(maskValue(json.value, options));
    return shown === json.plain ? text : shown;
  }
  if (BASE_STRING.test(text)) return maskBaseString(text, options);
  // a text may quote JSON
  const shown = maskForms(maskBrokenJson(text, options), options);
  // an error repeats what it was sent
  return options.upload ? shown.replace(/\bgot [^]*/, `got ${MASK}`) : shown;
}

/** A JSON text; undefined for any other one, and for one so deep that it cannot be written again. */
function parsed(text: string): { value: unknown; plain: string } | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return { value, plain: JSON.stringify(value) };
  } catch {
    return undefined;
  }
}

/** A field of a JSON text, of a list or an object its beginning. */
const FIELD = /"((?:[^"\\]|\\.){1,64})"(\s{0,8}:\s{0,8})("(?:[^"\\]|\\.)*"?|[[{]|[^\s,}\]]*)/g;

/** Of long responses the beginning is kept. Nothing is left behind a hidden list or object, whose end is not known. */
function maskBrokenJson(text: string, options: MaskingOptions): string {
  let shown = '';
  let from = 0;
  for (const { 0: all, 1: name, 2: colon, 3: value, index } of text.matchAll(FIELD)) {
    if (!isHidden(name, options)) continue;
    shown += `${text.slice(from, index)}"${name}"${colon}"${MASK}"`;
    if (value === '[' || value === '{') return shown;
    from = index + all.length;
  }
  return shown + text.slice(from);
}

/** A JSON value without secrets in it, at any depth and of any type. */
export function maskValue(value: unknown, options: MaskingOptions, depth = 0): unknown {
  if (typeof value === 'string') return maskString(value, options);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return value.map((each) => maskValue(each, options, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      maskText(name, options),
      isHidden(name, options) ? MASK : maskValue(inner, options, depth + 1),
    ]),
  );
}

function maskString(text: string, options: MaskingOptions): string {
  const { max } = options;
  if (max === undefined || text.length <= max) return maskText(text, options);
  const cut = text.slice(0, 2 * max);
  const masked = maskText(cut, options);
  // where masks made the text shorter, a secret that the cut has divided may be within the length
  return `${(masked === cut ? masked : masked.replace(LAST_WORD, '')).slice(0, max)}...`;
}

const LAST_WORD = /(?<![\w.+~/%@-])[\w.+~/%@-]*$/;

const BASE_STRING = /^[A-Z]{3,8}&http[^&\s]*&/;

/** A base string without the secrets in it. Its parameters are encoded again as a whole. */
export function maskBaseString(text: string, options: MaskingOptions = {}): string {
  const from = text.lastIndexOf('&') + 1;
  const pairs = text.slice(from).split('%26');
  return maskForms(text.slice(0, from), options) + pairs.map((pair) => maskPair(pair, options)).join('%26');
}

function maskPair(pair: string, options: MaskingOptions): string {
  const end = pair.indexOf('%3D');
  if (end < 0) return pair;
  const [name, value] = [pair.slice(0, end), pair.slice(end + 3)];
  if (isHidden(decodedTwice(name), options)) return `${name}%3D${MASK}`;
  const plain = decodedTwice(value);
  const shown = maskText(plain, options);
  return shown === plain ? pair : `${name}%3D${percentEncodeTwice(shown).replaceAll('%252A%252A%252A', MASK)}`;
}

/** A base string is encoded by this service; of a part that is cut, nothing can be decoded. */
function decodedTwice(text: string): string {
  try {
    return decodeURIComponent(decodeURIComponent(text));
  } catch {
    return text;
  }
}
