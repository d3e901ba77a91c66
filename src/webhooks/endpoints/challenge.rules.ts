import { createHmac } from 'node:crypto';

/** The query of a challenge. */
interface Challenge {
  token: string;
  nonce: string;
}

/** A text that a webhook may have used as its secret, and its name unless it is the right one. */
interface UsedSecret {
  name?: string;
  text: string;
}

const PREFIX = 'sha256=';
const EXPECTED = 'It must be sha256= and the base64 of the HMAC-SHA256 of crc_token under the consumer secret.';

/** The sentences about a wrong response_token: the mistake, if it is a common one, and what is expected. */
export function aboutWrongToken(given: string, challenge: Challenge, secrets: readonly UsedSecret[]): string {
  const mistake = mistakeIn(given, challenge, secrets);
  return `The response_token was not the expected one${mistake === undefined ? '' : `: ${mistake}`}. ${EXPECTED}`;
}

function mistakeIn(given: string, { token, nonce }: Challenge, secrets: readonly UsedSecret[]): string | undefined {
  const trimmed = given.trim();
  const hasPrefix = trimmed.startsWith(PREFIX);
  const code = hasPrefix ? trimmed.slice(PREFIX.length) : trimmed;
  if (code === token) return 'it is crc_token itself';
  if (code === nonce) return 'it is the nonce';
  const texts = [
    { text: token },
    { text: nonce, what: 'it is of the nonce' },
    { text: `crc_token=${token}&nonce=${nonce}`, what: 'it is of the whole query' },
  ];
  for (const secret of secrets)
    for (const { text, what } of texts)
      for (const hash of ['sha256', 'sha1', 'sha512']) {
        const form = formOf(code, createHmac(hash, secret.text).update(text).digest());
        if (form === undefined) continue;
        const mistakes = [
          form,
          hasPrefix ? '' : 'sha256= is missing',
          trimmed === given ? '' : 'it has whitespace around it',
          hash === 'sha256' ? '' : `it is an HMAC-${hash.toUpperCase()}`,
          what ?? '',
          secret.name === undefined ? '' : `it is under ${secret.name}`,
        ].filter(Boolean);
        return mistakes.join(', and ');
      }
  return undefined;
}

/** The name of the encoding of a code: empty for base64, undefined for another code. */
function formOf(code: string, mac: Buffer): string | undefined {
  const [base64, hex, urlSafe] = (['base64', 'hex', 'base64url'] as const).map((form) => mac.toString(form));
  const padding = '='.repeat(base64.length - urlSafe.length);
  const forms: [string, string][] = [
    [base64, ''],
    [base64.slice(0, urlSafe.length), 'its padding is missing'],
    [urlSafe, URL_SAFE],
    [urlSafe + padding, URL_SAFE],
    [hex, HEXADECIMAL],
    [hex.toUpperCase(), HEXADECIMAL],
    [Buffer.from(hex).toString('base64'), 'it is the base64 of hexadecimal digits'],
  ];
  return forms.find(([text]) => text === code)?.[1];
}

const URL_SAFE = 'it is in URL-safe base64';
const HEXADECIMAL = 'it is in hexadecimal';
