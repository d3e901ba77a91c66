import { explainSignature } from '../../../src/auth/signature/signature-help.js';
import {
  baseString,
  collectParameters,
  signatureOf,
  type CollectedParameters,
  type Pair,
} from '../../../src/auth/signature/signature.js';
import { pairsOf } from '../../../src/common/http/bodies/form-encoding.js';

const CONSUMER = 'consumer-secret';
const TOKEN = 'token-secret';
const URI = 'http://127.0.0.1:3000/12/accounts';
const HEADER: Pair[] = [
  ['oauth_consumer_key', 'key'],
  ['oauth_nonce', 'nonce'],
  ['oauth_signature_method', 'HMAC-SHA1'],
  ['oauth_timestamp', '1700000000'],
  ['oauth_token', 'token'],
  ['oauth_version', '1.0'],
];

interface Sent {
  method?: string;
  rawQuery?: string;
  form?: Pair[];
  header?: Pair[];
  /** How the client came by its signature. */
  by: (pairs: Pair[], query: Pair[]) => string;
}

function helpFor({ method = 'GET', rawQuery = '', form = [], header = HEADER, by }: Sent) {
  const query = pairsOf(rawQuery);
  const { pairs } = collectParameters(header, query, form) as CollectedParameters;
  const signature = by(pairs, query);
  return explainSignature({
    method,
    uris: [URI],
    pairs,
    header,
    query,
    form,
    rawQuery,
    signature,
    consumerSecret: CONSUMER,
    tokenSecret: TOKEN,
  });
}

const signed = (base: string, consumer = CONSUMER, token = TOKEN) => signatureOf(base, consumer, token);
const without = (pairs: Pair[], left: Pair[]) => pairs.filter(([name]) => !left.some(([other]) => other === name));

describe('help with a signature', () => {
  it.each<[string, RegExp, Sent]>([
    [
      'an empty token secret',
      /token secret was left empty/,
      { by: (pairs) => signed(baseString('GET', URI, pairs), CONSUMER, '') },
    ],
    ['exchanged secrets', /swapped/, { by: (pairs) => signed(baseString('GET', URI, pairs), TOKEN, CONSUMER) }],
    [
      'an unsigned query',
      /query parameters were not signed/,
      { rawQuery: 'count=10', by: (pairs, query) => signed(baseString('GET', URI, without(pairs, query))) },
    ],
    [
      'an unsigned form',
      /form parameters were not signed/,
      {
        method: 'POST',
        form: [['name', 'x']],
        by: (pairs) => signed(baseString('POST', URI, without(pairs, [['name', 'x']]))),
      },
    ],
    [
      'neither query nor form',
      /neither query nor form/,
      {
        method: 'POST',
        rawQuery: 'a=1',
        form: [['b', '2']],
        by: () => signed(baseString('POST', URI, HEADER)),
      },
    ],
    [
      'a plus that stayed a plus',
      /means a space/,
      {
        rawQuery: 'q=a+b',
        by: (pairs, query) => signed(baseString('GET', URI, [...without(pairs, query), ['q', 'a+b']])),
      },
    ],
    [
      'a space that was encoded as a plus',
      /instead of %20/,
      {
        rawQuery: 'q=a%20b',
        by: (pairs, query) => signed(baseString('GET', URI, [...without(pairs, query), ['q', 'a+b']])),
      },
    ],
    [
      'double encoding',
      /encoded twice|without decoding/,
      {
        rawQuery: 'q=a%2Cb',
        by: (pairs, query) => signed(baseString('GET', URI, [...without(pairs, query), ['q', 'a%2Cb']])),
      },
    ],
    [
      'another scheme',
      /with https, but the service received http: .* TRUST_PROXY/,
      { by: (pairs) => signed(baseString('GET', URI.replace('http:', 'https:'), pairs)) },
    ],
    ['no port', /port was left out/, { by: (pairs) => signed(baseString('GET', URI.replace(':3000', ''), pairs)) }],
    [
      'another name of the host',
      /localhost/,
      { by: (pairs) => signed(baseString('GET', URI.replace('127.0.0.1', 'localhost'), pairs)) },
    ],
    ['a slash at the end', /slash at the end/, { by: (pairs) => signed(baseString('GET', `${URI}/`, pairs)) }],
    [
      'the query in the URL',
      /as part of the URL/,
      {
        rawQuery: 'a=1',
        by: (pairs, query) => signed(baseString('GET', `${URI}?a=1`, without(pairs, query))),
      },
    ],
    ['another method', /method POST/, { by: (pairs) => signed(baseString('POST', URI, pairs)) }],
    [
      'characters that encodeURIComponent leaves',
      /! \* ' \( \)/,
      {
        rawQuery: 'q=it%27s(!)',
        by: (pairs) =>
          signed(
            baseString('GET', URI, pairs)
              .replaceAll('%2527', "'")
              .replaceAll('%2528', '(')
              .replaceAll('%2529', ')')
              .replaceAll('%2521', '!')
              .replaceAll("'", '%27')
              .replaceAll('(', '%28')
              .replaceAll(')', '%29')
              .replaceAll('!', '%21'),
          ),
      },
    ],
    [
      'escapes in lower case',
      /lower case/,
      {
        rawQuery: 'q=a%2Cb',
        by: (pairs) => signed(baseString('GET', URI, pairs).replace(/%[0-9A-F]{2}/g, (e) => e.toLowerCase())),
      },
    ],
    [
      'an encoded signature that was encoded again',
      /oauth_signature was percent-encoded twice/,
      { by: (pairs) => encodeURIComponent(signed(baseString('GET', URI, pairs))) },
    ],
    ...['ads-api.x.com', 'ads-api-sandbox.x.com', 'ads-api.twitter.com', 'api.x.com'].map(
      (host): [string, RegExp, Sent] => [
        `a request for ${host}`,
        new RegExp(`signed for https://${host}, but the request came here: make http://127.0.0.1:3000 the base URL`),
        { by: (pairs) => signed(baseString('GET', `https://${host}/12/accounts`, pairs)) },
      ],
    ),
    ...[' ', '\n', '\r\n', '\t'].map((end): [string, RegExp, Sent] => [
      `secrets that end with ${JSON.stringify(end)}`,
      /^the consumer secret has whitespace at its end; the token secret has whitespace at its end$/,
      { by: (pairs) => signed(baseString('GET', URI, pairs), CONSUMER + end, TOKEN + end) },
    ]),
    ...['"', "'", '`'].map((quote): [string, RegExp, Sent] => [
      `a secret in ${quote}`,
      /^the token secret has quotes around it$/,
      { by: (pairs) => signed(baseString('GET', URI, pairs), CONSUMER, quote + TOKEN + quote) },
    ]),
    ...['None', 'null', 'undefined', 'nil'].map((word): [string, RegExp, Sent] => [
      `${word} as a secret`,
      new RegExp(`^the word ${word} was used as the consumer secret$`),
      { by: (pairs) => signed(baseString('GET', URI, pairs), word) },
    ]),
    [
      'undefined as both secrets',
      /^the word undefined was used as the consumer secret; the word undefined was used as the token secret$/,
      { by: (pairs) => signed(baseString('GET', URI, pairs), 'undefined', 'undefined') },
    ],
    [
      'keys as secrets',
      /^the consumer key was used as the consumer secret; the access token was used as the token secret$/,
      { by: (pairs) => signed(baseString('GET', URI, pairs), 'key', 'token') },
    ],
    [
      'two mistakes at once',
      /query parameters were not signed; .*token secret was left empty/,
      {
        rawQuery: 'count=10',
        by: (pairs, query) => signed(baseString('GET', URI, without(pairs, query)), CONSUMER, ''),
      },
    ],
  ])('recognises %s', (_what, says, sent) => {
    expect(helpFor(sent).differs).toMatch(says);
  });

  it('says nothing where nothing fits, and always what was expected', () => {
    const help = helpFor({ by: () => 'nonsense' });
    expect(help.differs).toBeUndefined();
    expect(help.base_string).toBe(baseString('GET', URI, HEADER));
  });

  it('never holds a secret, nor what is one by itself', () => {
    const rawQuery = 'access_token=the-bearer&password=hidden';
    const header: Pair[] = [...HEADER, ['oauth_verifier', '1234567']];
    const text = JSON.stringify(helpFor({ rawQuery, header, by: () => 'nonsense' }));
    for (const secret of [CONSUMER, TOKEN, 'the-bearer', 'hidden', '1234567']) expect(text).not.toContain(secret);
  });
});
