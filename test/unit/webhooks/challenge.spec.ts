import { createHmac } from 'node:crypto';
import { aboutWrongToken } from '../../../src/webhooks/endpoints/challenge.rules.js';

const SECRET = 'consumer-secret';
const CHALLENGE = { token: 'a-token', nonce: 'a-nonce' };
const SECRETS = [
  { text: SECRET },
  { name: 'the consumer key', text: 'key' },
  { name: 'the token secret', text: 'token-secret' },
];
const mac = (text = CHALLENGE.token, secret = SECRET, hash = 'sha256') =>
  createHmac(hash, secret).update(text).digest();
const right = mac().toString('base64');
// It has + and /, and padding, so that its forms differ.
const [FORMS] = Array.from({ length: 1_000 }, (_, i) => `token-${i}`)
  .filter((token) => /\+.*\/.*=$/.test(mac(token).toString('base64')))
  .map((token) => ({ token, base64: mac(token).toString('base64'), url: mac(token).toString('base64url') }));

const about = (given: string, challenge = CHALLENGE) => aboutWrongToken(given, challenge, SECRETS);
const SAID = (mistake: string) =>
  `The response_token was not the expected one${mistake && ': '}${mistake}. It must be sha256= and the base64 of the HMAC-SHA256 of crc_token under the consumer secret.`;

describe('a wrong answer to a challenge', () => {
  it.each([
    ['hexadecimal', `sha256=${mac().toString('hex')}`, 'it is in hexadecimal'],
    ['hexadecimal in capitals', `sha256=${mac().toString('hex').toUpperCase()}`, 'it is in hexadecimal'],
    ['no prefix', right, 'sha256= is missing'],
    ['hexadecimal without the prefix', mac().toString('hex'), 'it is in hexadecimal, and sha256= is missing'],
    [
      'the secret of a token',
      `sha256=${mac('a-token', 'token-secret').toString('base64')}`,
      'it is under the token secret',
    ],
    ['the consumer key', `sha256=${mac('a-token', 'key').toString('base64')}`, 'it is under the consumer key'],
    ['the token', 'a-token', 'it is crc_token itself'],
    ['the token with the prefix', 'sha256=a-token', 'it is crc_token itself'],
    ['the nonce', 'a-nonce', 'it is the nonce'],
    ['the code of the nonce', `sha256=${mac('a-nonce').toString('base64')}`, 'it is of the nonce'],
    [
      'the code of the query',
      `sha256=${mac('crc_token=a-token&nonce=a-nonce').toString('base64')}`,
      'it is of the whole query',
    ],
    ['SHA-1', `sha256=${mac('a-token', SECRET, 'sha1').toString('base64')}`, 'it is an HMAC-SHA1'],
    ['a line break', `sha256=${right}\n`, 'it has whitespace around it'],
    [
      'the base64 of hexadecimal digits',
      `sha256=${Buffer.from(mac().toString('hex')).toString('base64')}`,
      'it is the base64 of hexadecimal digits',
    ],
    ['no padding', `sha256=${right.replace(/=$/, '')}`, 'its padding is missing'],
    ['nonsense', 'sha256=nonsense', ''],
    ['nothing', '', ''],
  ])('is recognized: %s', (_what, given, mistake) => {
    expect(about(given)).toBe(SAID(mistake));
  });

  it('is recognized: URL-safe base64, with and without padding', () => {
    for (const given of [FORMS.url, `${FORMS.url}=`])
      expect(about(`sha256=${given}`, { ...CHALLENGE, token: FORMS.token })).toBe(SAID('it is in URL-safe base64'));
  });

  it('has no secret in its sentences', () => {
    for (const given of ['key', 'token-secret', SECRET])
      expect(about(given)).not.toMatch(/"|token-secret|consumer-secret/);
  });
});
