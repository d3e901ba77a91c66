/**
 * OAuth 1.0a with HMAC-SHA1 (RFC 5849) for what the page sends. Imports nothing: the hash is handed in, because browsers
 * keep their own to secure origins and a service under test seldom is one.
 */

/** RFC 3986: everything but letters, digits and `-._~` becomes upper-case escapes of its UTF-8. */
export const percentEncode = (text) =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** One name or value of a query or form: `+` is a space, a broken escape stays what it is. */
function decode(text) {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
      try {
        return decodeURIComponent(run);
      } catch {
        return run;
      }
    });
  }
}

/** The pairs of a query or form in their order. */
export const pairsOf = (text) =>
  text
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const cut = piece.indexOf('=');
      return cut < 0 ? [decode(piece), ''] : [decode(piece.slice(0, cut)), decode(piece.slice(cut + 1))];
    });

/** What is signed: method, URL without its query, and all pairs sorted by their encoded names, then values. */
export function baseString(method, url, pairs) {
  const { origin, pathname } = new URL(url);
  const encoded = pairs.map(([name, value]) => [percentEncode(name), percentEncode(value)]);
  encoded.sort(([name, value], [other, its]) => order(name, other) || order(value, its));
  const normalized = encoded.map(([name, value]) => `${name}=${value}`).join('&');
  return [method.toUpperCase(), origin + pathname, normalized].map(percentEncode).join('&');
}

const order = (one, other) => (one < other ? -1 : Number(one > other));

/**
 * The Authorization header of a request. `form` is the text of a form body; a JSON body is never signed.
 * `hmacSha1(key, text)` answers bytes. Without an access token it is the application that signs.
 */
export function authorizationOf({ method, url, form = '', keys, timestamp, nonce }, hmacSha1) {
  const protocol = [
    ['oauth_consumer_key', keys.consumer_key],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(timestamp)],
    ...(keys.access_token ? [['oauth_token', keys.access_token]] : []),
    ['oauth_version', '1.0'],
  ];
  const base = baseString(method, url, [...protocol, ...pairsOf(new URL(url).search.slice(1)), ...pairsOf(form)]);
  const key = `${percentEncode(keys.consumer_secret)}&${percentEncode(keys.access_token_secret ?? '')}`;
  const signature = btoa(String.fromCharCode(...hmacSha1(key, base)));
  const header = [...protocol, ['oauth_signature', signature]];
  return `OAuth ${header.map(([name, value]) => `${percentEncode(name)}="${percentEncode(value)}"`).join(', ')}`;
}

/** The Authorization header of an application that asks for its bearer token (RFC 6749, 2.3.1). */
export const basicOf = ({ consumer_key, consumer_secret }) =>
  `Basic ${btoa(`${percentEncode(consumer_key)}:${percentEncode(consumer_secret)}`)}`;

/** By how many seconds our clock is behind the server's, if that is why it refused; else undefined. */
export function skewOf(status, date, body, nowSeconds) {
  if (status !== 401 || !/out of bounds/i.test(body)) return undefined;
  const theirs = Math.round(Date.parse(date) / 1000);
  return Number.isNaN(theirs) ? undefined : theirs - nowSeconds;
}
