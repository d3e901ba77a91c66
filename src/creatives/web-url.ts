import { expected, InvalidValue } from '../common/http/invalid-value.js';
import { readText, type Reader } from '../common/http/readers.js';
import { faultOfUrl, schemeOf } from '../common/http/urls.js';

/** The longest URL that is taken. */
export const MAX_URL_LENGTH = 2_048;

const WEB = new Set(['http', 'https']);

type UrlRules = { max: number; trimmed?: boolean };

/** A URL that people may be led to; faultOfUrl explains what is refused. */
function readUrl(what: string, isTaken: (scheme: string) => boolean, rules: UrlRules): Reader<string> {
  const readWord = readText({ min: 1, ...rules });
  return (given, name) => {
    const text = readWord(given, name);
    if (text instanceof InvalidValue) return text;
    const scheme = schemeOf(text);
    const fault = faultOfUrl(text);
    return scheme !== undefined && fault === undefined && isTaken(scheme) ? text : expected(what, given, name, fault);
  };
}

/** The URL of a page, http or https, in full and as it is. */
export const readHttpUrl = (rules: UrlRules): Reader<string> =>
  readUrl('an http or https URL, such as https://example.com/offers', (scheme) => WEB.has(scheme), rules);

const readPage = readHttpUrl({ max: MAX_URL_LENGTH, trimmed: true });

/** The same; one that ends in its host gets the slash that browsers add. */
export const readWebUrl: Reader<string> = (given, name) => {
  const text = readPage(given, name);
  if (text instanceof InvalidValue) return text;
  return /^[^/]+\/\/[^/?#]+$/.test(text) ? `${text}/` : text;
};

/** What opens a place inside an app, such as `shop://offers/1`. */
export const readDeepLink: Reader<string> = readUrl('a deep link such as shop://offers/1', () => true, {
  max: MAX_URL_LENGTH,
  trimmed: true,
});
