import { withCheck, Field, text, type FieldRules, type Kind } from '../common/http/params/fields.js';
import { faultOfUrl, schemeOf } from '../common/http/urls/urls.js';

/** Maximum length of a URL. */
export const MAX_URL_LENGTH = 2_048;

const isWeb = (scheme: string) => scheme === 'http' || scheme === 'https';

type UrlRules = { max: number; trimmed?: boolean };

/** A URL for links; faultOfUrl explains rejections. */
function url(what: string, isTaken: (scheme: string) => boolean, { max, trimmed = false }: UrlRules): Kind {
  const isFine = (given: string) => {
    const scheme = schemeOf(given);
    return scheme !== undefined && isTaken(scheme) && faultOfUrl(given) === undefined;
  };
  const details = (given: unknown) => faultOfUrl(trimmed ? (given as string).trim() : (given as string));
  return withCheck(text({ min: 1, max, trimmed }), what, isFine, { details });
}

/** A complete http or https URL of a page, stored unchanged. */
export const httpUrl = (rules: UrlRules): Kind =>
  url('an http or https URL, such as https://example.com/offers', isWeb, rules);

const page = httpUrl({ max: MAX_URL_LENGTH, trimmed: true });

/** Like `httpUrl`, trimmed, with the slash that browsers add to a URL without a path. */
const webUrl: Kind = {
  ...page,
  convert: (given) => {
    const trimmed = page.convert!(given);
    return typeof trimmed === 'string' && /^https?:\/\/[^/?#]+$/i.test(trimmed) ? `${trimmed}/` : trimmed;
  },
};

/** Field with a URL on the web. */
export const WebUrl = (rules: FieldRules = {}) => Field(webUrl, rules, { type: String, maxLength: MAX_URL_LENGTH });

const secureUrl: Kind = url('an https URL, such as https://example.com/offers', (scheme) => scheme === 'https', {
  max: MAX_URL_LENGTH,
  trimmed: true,
});

/** Field with an https URL, stored unchanged. */
export const SecureUrl = (rules: FieldRules = {}) =>
  Field(secureUrl, rules, { type: String, maxLength: MAX_URL_LENGTH });

/** A deep link into an app, such as `shop://offers/1`. */
export const deepLink: Kind = url('a deep link such as shop://offers/1', () => true, {
  max: MAX_URL_LENGTH,
  trimmed: true,
});
