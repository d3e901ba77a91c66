/** Replaces a secret. */
export const MASK = '***';

/** Maximum length of a value that the journal keeps whole. */
export const MAX_VALUE = 2_048;

/** Names of parameters and fields whose values are secrets. */
const SECRET =
  /secret|password|^(access_token|oauth_signature|oauth_token|oauth_verifier|token|crc_token|client_assertion)$/i;

/** The same names in a JSON text, with their values as text. */
const SECRET_IN_JSON =
  /"((?:[^"\\]*(?:secret|password)[^"\\]*)|access_token|oauth_signature|oauth_token|oauth_verifier|token|crc_token)"(\s*:\s*)"(?:[^"\\]|\\.)*"/gi;

/** Masks the secret values of parameters that these separators divide. */
const maskPairs = (text: string, between: string, equals: string): string =>
  text
    .split(between)
    .map((pair) => {
      const name = pair.split(equals, 1)[0];
      return pair !== name && isSecret(name) ? `${name}${equals}${MASK}` : pair;
    })
    .join(between);

/** A base string without the secrets in it. Its parameters are encoded again as a whole. */
export function maskBaseString(text: string): string {
  const from = text.lastIndexOf('&') + 1;
  return text.slice(0, from) + maskPairs(text.slice(from), '%26', '%3D');
}

/** Whether a parameter or field with this name has a secret value. */
const isSecret = (name: string): boolean => SECRET.test(name);

/** The same names in a base string that a text contains, as error bodies do. */
const SECRET_IN_BASE_STRING = /((?:oauth|access)_(?:token|verifier)|password)(%3D)[^%&"\s]*/gi;

/** Contained in every name of a secret, as responses spell them. Most responses have none, and this is quick to see. */
const HINT = /secret|password|token|verifier|signature/i;

/** The text of a response without the secrets in it. */
export function maskText(text: string): string {
  if (!HINT.test(text)) return text;
  const isJson = text.startsWith('{') || text.startsWith('[');
  const shown = isJson ? text.replace(SECRET_IN_JSON, `"$1"$2"${MASK}"`) : maskPairs(text, '&', '=');
  return shown.replace(SECRET_IN_BASE_STRING, `$1$2${MASK}`);
}

/** A JSON value without the secrets in it, at any depth. Longer texts than `max` are cut. */
export function masked(value: unknown, max: number): unknown {
  if (typeof value === 'string') return value.length <= max ? value : `${value.slice(0, max)}...`;
  if (Array.isArray(value)) return value.map((each) => masked(each, max));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecret(name) ? MASK : masked(inner, max)]),
  );
}
