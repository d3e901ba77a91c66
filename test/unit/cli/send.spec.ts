import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemeProblemOf, send } from '../../../src/cli/request/send.js';

const folder = mkdtempSync(join(tmpdir(), 'marquee-tls-'));
const open: Server[] = [];
afterAll(() => {
  rmSync(folder, { recursive: true });
  for (const server of open) server.close();
});

/** A certificate that nobody trusts; undefined where there is no OpenSSL to make it. */
function certificate(): { key: Buffer; cert: Buffer } | undefined {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
  const argv = 'req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 2 -subj /CN=localhost'.split(
    ' ',
  );
  try {
    execFileSync('openssl', [...argv, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

async function listening(server: Server): Promise<string> {
  open.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const plain = (answer: RequestListener) => listening(createPlainServer(answer));
const get = (url: string) => send({ method: 'GET', url, headers: [], form: [] });
const pair = certificate();
const withTls = pair ? it : it.skip;

describe('the scheme of a URL', () => {
  it('is https where http is spoken', async () => {
    const host = await plain((_, response) => void response.end());
    await expect(get(`https://${host}/`)).rejects.toThrow(
      `${host} speaks http, not https; begin the URL, or base_url of the credentials, with http://`,
    );
  });

  withTls('is http where https is spoken', async () => {
    const host = await listening(createServer(pair!, (_, response) => void response.end()));
    await expect(get(`http://${host}/`)).rejects.toThrow(`${host} speaks https, not http; begin`);
    await expect(get(`https://${host}/`)).rejects.toThrow(`https://${host} does not answer: self-signed certificate`);
    const refused = new Response('The plain HTTP request was sent to HTTPS port', { status: 400 });
    expect(await schemeProblemOf(`http://${host}/`, refused)).toContain(`${host} speaks https, not http`);
  });

  it.each([
    [308, 'https://HOST/x', true],
    [301, 'https://127.0.0.1/x', true],
    [302, 'https://elsewhere.example/x', false],
    [302, '/x', false],
    [200, 'https://HOST/x', false],
    [400, '', false],
  ])('is no problem but where http is sent on to https: %i %s', async (status, location, isProblem) => {
    const host = await plain(
      (_, response) => void response.writeHead(status, { location: location.replace('HOST', host) }).end(),
    );
    const problem = await schemeProblemOf(`http://${host}/`, await get(`http://${host}/`));
    expect(problem?.includes('redirects http to https') ?? false).toBe(isProblem);
    expect(await schemeProblemOf(`https://${host}/`, await get(`http://${host}/`))).toBeUndefined();
  });

  it('is not blamed where nobody listens', async () => {
    const closed = createPlainServer();
    const host = await listening(closed);
    await new Promise((done) => closed.close(done));
    await expect(get(`http://${host}/`)).rejects.toThrow(`no service listens at http://${host}`);
  });
});
