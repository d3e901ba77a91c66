import type { RecordedDetail } from '../../../src/workbench/journal/recorded-request.js';
import { rejectionOf } from '../../../src/workbench/journal/requests-page.presenter.js';

describe('why a request was rejected', () => {
  const response = (body: unknown): RecordedDetail['response'] => ({
    text: typeof body === 'string' ? body : JSON.stringify(body),
    truncated: false,
    bytes: 1,
    contentType: 'application/json',
  });
  const rejection = (status: number, body: unknown, reason?: string) =>
    rejectionOf(status, {
      response: response(body),
      signature: reason === undefined ? null : { verdict: 'INVALID', reason, baseString: null },
    });

  it('is the reason for which the signature was rejected', () => {
    const body = { errors: [{ message: 'Could not authenticate you' }] };
    expect(rejection(401, body, 'nonce-used')).toBe('oauth_nonce was used before.');
    expect(rejection(401, body, 'protocol-version')).toBe('protocol-version');
  });

  it('is the first error of the response otherwise', () => {
    expect(rejection(400, { errors: [{ message: 'one' }, { message: 'two' }, { message: 'three' }] })).toBe(
      'one (and 2 more)',
    );
    expect(rejection(400, { operation_errors: [[], [{ message: 'of an operation' }]] })).toBe('of an operation');
    expect(rejection(404, { detail: 'of a problem' })).toBe('of a problem');
    expect(rejection(400, { errors: [{ message: 'x'.repeat(1_000) }] })).toHaveLength(300);
  });

  it('is unknown if the response does not tell, and nothing if there was no rejection', () => {
    for (const body of ['{"errors":[{"mess', 'oauth_problem', [], null, { errors: 'x', detail: 7 }, { errors: [null] }])
      expect(rejection(400, body)).toBeNull();
    expect(rejection(200, { errors: [{ message: 'one' }] })).toBeNull();
  });
});
