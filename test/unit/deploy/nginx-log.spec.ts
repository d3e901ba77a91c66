import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../support/nginx.js';

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path));
const GIVEN = 'given-by-the-client';

(NGINX ? describe : describe.skip)('the shipped nginx', () => {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-nginx-log-'));
  const log = join(folder, 'own.log');
  const ids: unknown[] = [];
  const replica = createServer((request, response) => {
    ids.push(request.headers['x-request-id']);
    response.writeHead(request.url === '/12/none' ? 404 : 200, { 'x-request-id': request.headers['x-request-id'] });
    response.end('{}');
  });
  let url: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    await new Promise<void>((resolve) => replica.listen(0, '127.0.0.1', resolve));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const shipped = readFileSync('deploy/nginx.conf', 'utf8');
    const placed = shipped
      .replace('http {\n', `http {\n${temporary.join('\n')}\n`)
      .replace('listen 8080;', `listen 127.0.0.1:${port};`)
      .replace('access_log /var/log/nginx/access.log ', `access_log ${log} `);
    writeFileSync(join(folder, 'nginx.conf'), placed);
    const { port: up } = replica.address() as AddressInfo;
    const upstreams = readFileSync('deploy/upstreams-static.conf', 'utf8').replaceAll(
      /127\.0\.0\.1:300\d/g,
      `127.0.0.1:${up}`,
    );
    writeFileSync(join(folder, 'upstreams.conf'), upstreams);
    const options = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')];
    const nginx = spawn(NGINX!, [...options, '-g', `daemon off; pid ${folder}/nginx.pid;`], { stdio: 'ignore' });
    const ended = new Promise<void>((resolve) => nginx.once('exit', () => resolve()));
    close = async () => {
      nginx.kill('SIGTERM');
      await ended;
    };
    for (let i = 0; i < 100 && !(await fetch(`${url}/12/up`).catch(() => undefined)); i++) await pause(50);
  });
  afterAll(async () => {
    await close();
    replica.closeAllConnections();
    replica.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const lines = async () => {
    await pause(100);
    const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('gives each request an id, or keeps that of the client, and logs nothing that a replica answered', async () => {
    ids.length = 0;
    const own = await fetch(`${url}/12/up`);
    const given = await fetch(`${url}/12/none`, { headers: { 'x-request-id': GIVEN } });
    const wrong = await fetch(`${url}/12/up`, { headers: { 'x-request-id': 'no id: "' } });
    expect([own, given, wrong].map(({ headers }) => headers.get('x-request-id'))).toEqual(ids);
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), GIVEN, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(await lines()).toEqual([]);
  });

  it('logs what it answers itself, without the query', async () => {
    const body = 'x'.repeat(11 * 1024 * 1024 + 1);
    const headers = { 'x-request-id': GIVEN, 'user-agent': `tap "1" ${'x'.repeat(300)}` };
    const large = await fetch(`${url}/12/accounts?oauth_token=secret`, { method: 'POST', headers, body });
    expect([large.status, large.headers.get('x-request-id')]).toEqual([413, GIVEN]);
    replica.closeAllConnections();
    await new Promise((resolve) => replica.close(resolve));
    const down = await fetch(`${url}/12/accounts?oauth_token=secret`, { headers });
    expect([down.status, down.headers.get('x-request-id'), down.headers.get('retry-after')]).toEqual([503, GIVEN, '1']);
    // nginx logs them in any order
    const logged = (await lines()).toSorted((one, other) => Number(one.status) - Number(other.status));
    expect(logged).toMatchObject([
      { id: GIVEN, method: 'POST', path: '/12/accounts', status: 413, upstreams: '', ip: '127.0.0.1' },
      { id: GIVEN, method: 'GET', path: '/12/accounts', status: 503, upstreams: expect.stringContaining('127.0.0.1:') },
    ]);
    expect(logged[0].agent).toBe(`tap "1" ${'x'.repeat(192)}`);
    expect(JSON.stringify(logged)).not.toContain('secret');
  });
});
