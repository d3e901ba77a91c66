import { isSameHost, UNSAFE_SCHEMES } from '../../common/http/urls/urls.js';

/** Schemes that a browser executes or opens itself, so that they never lead to an application. */
const FORBIDDEN = new Set([
  ...UNSAFE_SCHEMES,
  ...(
    'keyword ftp gopher acrobat callto daap itpc itms firefoxurl hcp ldap mailto mmst mmsu msbd rtsp mso-offdap snews ' +
    'news nntp outlook stssync rlogin telnet tn3270 sip ws wss'
  ).split(' '),
]);

const MAX_CALLBACKS = 10;
export const OUT_OF_BAND = 'oob';
const MAX_CALLBACK_LENGTH = 2_000;

/** The characters of RFC 3986 without `#`. Browsers and servers parse URLs of these characters alike. */
const ALLOWED_CHARACTERS = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const WEB = /^(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?(\/[^?]*)?(?:\?(.*))?$/i;
const OTHER = /^([a-z][a-z0-9+.-]*):([^?]*)(?:\?(.*))?$/i;
const DOT_SEGMENT = /(^|\/)(\.|%2e){1,2}(\/|$)/i;

interface Callback {
  scheme: string;
  /** Normalized host and port; empty for custom schemes. */
  authority: string;
  path: string;
  query?: string;
}

/** The callback cannot be registered. The message gives the reason. */
export class InvalidCallback extends Error {}

/** Validates the callbacks of an application and returns them without duplicates. */
export function checkedCallbacks(given: string[]): string[] {
  const callbacks = [...new Set(given)];
  if (callbacks.length > MAX_CALLBACKS)
    throw new InvalidCallback(`an application can have at most ${MAX_CALLBACKS} callbacks`);
  for (const each of callbacks) {
    const callback = parse(each);
    if (typeof callback === 'string') throw new InvalidCallback(`the callback ${each} ${callback}`);
    if (callback.query !== undefined)
      throw new InvalidCallback(`the callback ${each} has a query; a request may add one`);
    if (DOT_SEGMENT.test(callback.path)) throw new InvalidCallback(`the callback ${each} has dot segments in its path`);
  }
  return callbacks;
}

/**
 * True if a request may ask for this callback: scheme, host, port and path are those of a registered one, letter by
 * letter where letters count. Only a query may come on top.
 */
export function isApproved(requested: string, registered: string[]): boolean {
  const callback = parse(requested);
  if (typeof callback === 'string') return false;
  return registered.some((each) => {
    const known = parse(each);
    return (
      typeof known !== 'string' &&
      known.scheme === callback.scheme &&
      known.authority === callback.authority &&
      known.path === callback.path
    );
  });
}

/** The callback URL with the outcome of the flow added to its query. */
export function withOutcome(callback: string, outcome: Record<string, string>): string {
  const query = new URLSearchParams(outcome).toString();
  const joint = !callback.includes('?') ? '?' : /[?&]$/.test(callback) ? '' : '&';
  return `${callback}${joint}${query}`;
}

/** True if the callback is a web page and not a custom scheme. */
export const isWeb = (callback: string): boolean => /^https?:/i.test(callback);

/** The destination of a callback as shown to users: the host of a web page, else the custom scheme. */
export const destinationOf = (callback: string): string =>
  isWeb(callback) ? new URL(callback).host : callback.slice(0, callback.indexOf(':') + 1);

/** The parts of a callback, or the reason why it is invalid. */
function parse(text: string): Callback | string {
  if (text.length > MAX_CALLBACK_LENGTH) return `is longer than ${MAX_CALLBACK_LENGTH} characters`;
  if (text.includes('#')) return 'has a fragment';
  if (!ALLOWED_CHARACTERS.test(text) || BROKEN_ESCAPE.test(text))
    return 'contains characters that a URL cannot contain';
  return /^https?:/i.test(text) ? parseWeb(text) : parseOther(text);
}

function parseWeb(text: string): Callback | string {
  if (/^https?:\/\/[^/?]*@/i.test(text)) return 'contains a user';
  const match = WEB.exec(text);
  // The WHATWG parser must agree with ours, or a browser would go elsewhere.
  if (!match || !URL.canParse(text)) return 'is not an absolute URL';
  const [, scheme, host, port, path = '/', query] = match;
  const url = new URL(text);
  const lowerScheme = scheme.toLowerCase();
  if (url.protocol !== `${lowerScheme}:` || !isSameHost(port === undefined ? host : `${host}:${port}`, url))
    return 'does not have the form that browsers use';
  return { scheme: lowerScheme, authority: `${url.hostname}:${url.port}`, path, query };
}

function parseOther(text: string): Callback | string {
  const match = OTHER.exec(text);
  if (!match) return 'is not an absolute URL';
  const [, scheme, path, query] = match;
  if (FORBIDDEN.has(scheme.toLowerCase())) return `has the scheme ${scheme.toLowerCase()}, which is not allowed`;
  if (path === '' && query === undefined) return 'is not an absolute URL';
  if (/^\/\/[^/]*@/.test(path)) return 'contains a user';
  return { scheme: scheme.toLowerCase(), authority: '', path, query };
}
