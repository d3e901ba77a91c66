interface Sent {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
}
interface Snippets {
  snippetsOf(request: Sent, isDemo: boolean): { id: string; text: string }[];
}
/** What the reference page loads, as the browser does: a module without types. */
const { snippetsOf } = (await import(
  new URL('../../../assets/docs/snippets.js', import.meta.url).pathname
)) as Snippets;

const textOf = (id: string, request: Sent, isDemo = true) =>
  snippetsOf(request, isDemo).find((each) => each.id === id)!.text;
const OAUTH = 'OAuth oauth_consumer_key="key", oauth_signature="sig", oauth_token="token"';
const url = 'http://localhost:3000/12/accounts';

describe('snippets', () => {
  it('quote for the shell what it would take apart', () => {
    const body = 'name=It%27s+%24HOME&entity_status=PAUSED';
    const headers = { Authorization: OAUTH, 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(textOf('marquee', { method: 'POST', url: `${url}?a=1&b=2`, headers, body })).toContain(
      `npx marquee request POST 'http://localhost:3000/12/accounts?a=1&b=2' 'name=It'\\''s $HOME' entity_status=PAUSED\n`,
    );
  });

  it('keep the numbers of a JSON body as they are written, and say the words of Python', () => {
    const headers = { Authorization: OAUTH, 'Content-Type': 'application/json' };
    const body = '[{"id": 12345678901234567890, "note": "true, \\"null\\"", "paused": true, "end": null}]';
    const python = textOf('python', { method: 'POST', url, headers, body });
    expect(python).toContain(
      'body = [{"id": 12345678901234567890, "note": "true, \\"null\\"", "paused": True, "end": None}]\n',
    );
    expect(textOf('node', { method: 'POST', url, headers, body })).toContain(`const body = ${body};`);
  });

  it.each([true, false])('never have what was signed with in them (demo: %s)', (isDemo) => {
    for (const Authorization of [OAUTH, 'Basic c2VjcmV0', 'Bearer c2VjcmV0']) {
      for (const { text } of snippetsOf({ method: 'POST', url, headers: { Authorization } }, isDemo)) {
        expect(text).not.toMatch(/c2VjcmV0|"sig"|oauth_token="/);
      }
    }
  });

  it('take a bearer token from the environment, and sign nothing', () => {
    const request = { method: 'GET', url: 'http://localhost:3000/2/webhooks', headers: { Authorization: 'Bearer c2' } };
    expect(textOf('marquee', request)).toContain('-H "Authorization: Bearer $MARQUEE_BEARER_TOKEN"');
    expect(textOf('node', request)).toContain('`Bearer ${process.env.MARQUEE_BEARER_TOKEN}`');
    expect(textOf('python', request)).toContain('os.environ["MARQUEE_BEARER_TOKEN"]');
    for (const { text } of snippetsOf(request, true)) expect(text).not.toMatch(/oauth_|OAuth1|demo-credentials/);
  });

  it('are not offered for what cannot be written down', () => {
    expect(snippetsOf({ method: 'POST', url, headers: { Authorization: OAUTH }, body: { media: {} } }, true)).toEqual(
      [],
    );
  });
});
