import { expected, InvalidValue } from '../common/http/invalid-value.js';
import { readText, type Reader } from '../common/http/readers.js';

/** The longest URL that is taken. */
export const LONGEST_URL = 2_048;

const readWord = readText({ min: 1, max: LONGEST_URL, trimmed: true });

/** The URL of a page: http or https, in full. One that ends in its host gets the slash that browsers add (facts 7.2). */
export const readWebUrl: Reader<string> = (given, name) => {
  const text = readWord(given, name);
  if (text instanceof InvalidValue) return text;
  const url = /^https?:\/\/\S+$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname || url.username || url.password)
    return expected('an http or https URL', given, name, 'such as https://example.com/offers');
  return /^[^/]+\/\/[^/?#]+$/.test(text) ? `${text}/` : text;
};

/** What opens a place inside an app, such as `shop://offers/1`. */
export const readDeepLink: Reader<string> = readText({
  min: 1,
  max: LONGEST_URL,
  trimmed: true,
  matching: { pattern: /^[a-z][a-z0-9+.-]*:\/\/\S+$/i, what: 'a deep link such as shop://offers/1' },
});
