import { masked, maskBaseString, maskText } from '../../../src/workbench/journal/masking.js';

describe('masking', () => {
  it.each([
    ['{"access_token":"abc","name":"token"}', '{"access_token":"***","name":"token"}'],
    ['{"a":{"client_secret" : "x\\"y"},"next_token":"n"}', '{"a":{"client_secret" : "***"},"next_token":"n"}'],
    ['oauth_token=t&oauth_token_secret=s&user_id=1', 'oauth_token=***&oauth_token_secret=***&user_id=1'],
    ['[{"password":"p"}]', '[{"password":"***"}]'],
    [
      '{"base_string":"GET&a&count%3D1%26oauth_token%3Dt-1%26x%3D1"}',
      '{"base_string":"GET&a&count%3D1%26oauth_token%3D***%26x%3D1"}',
    ],
    ['{"data":[]}', '{"data":[]}'],
  ])('replaces the secrets of %s', (text, expected) => {
    expect(maskText(text)).toBe(expected);
  });

  it('replaces the secrets of a base string', () => {
    const text = 'POST&http%3A%2F%2Fa&name%3Dx%26oauth_token%3Dt%26oauth_verifier%3D12%26x_auth_password%3Dp%2520q';
    expect(maskBaseString(text)).toBe(
      'POST&http%3A%2F%2Fa&name%3Dx%26oauth_token%3D***%26oauth_verifier%3D***%26x_auth_password%3D***',
    );
  });

  it('replaces the secrets of parameters at any depth, and cuts long values', () => {
    expect(masked({ a: [{ secret: 1, b: 'x'.repeat(9) }], token: 't', cursor: null }, 5)).toEqual({
      a: [{ secret: '***', b: 'xxxxx...' }],
      token: '***',
      cursor: null,
    });
  });
});
