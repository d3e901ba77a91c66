import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Place } from './marquee.js';

jest.setTimeout(180_000);

let place: Place;
let demo: Record<string, string>;
/** As on a machine of somebody who has no demo. */
let elsewhere: Record<string, string>;

beforeAll(async () => {
  place = await Place.make({ LOG_LEVEL: 'warn' });
  await place.serve();
  demo = JSON.parse(readFileSync(place.path('demo-credentials.json'), 'utf8')) as Record<string, string>;
  elsewhere = { XDG_CONFIG_HOME: place.path('config'), DATA_DIR: place.path('nothing') };
});
afterAll(() => place?.leave());

/** Somebody with a browser who signs in and allows what the page asks; answers where they end, and the PIN they see there. */
async function allow(page: string): Promise<{ url: string; pin: string }> {
  let cookie = '';
  let url = '';
  const visit = async (path: string, form?: Record<string, string>): Promise<string> => {
    url = new URL(path, place.url).href;
    const answer = await fetch(url, {
      method: form ? 'POST' : 'GET',
      headers: { cookie },
      body: form && new URLSearchParams(form),
      redirect: 'manual',
    });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const next = answer.headers.get('location');
    return next ? visit(next) : answer.text();
  };
  const fieldOf = (html: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
  const signIn = await visit(page);
  const { username, password } = demo;
  const form = { csrf: fieldOf(signIn, 'csrf'), oauth_token: fieldOf(signIn, 'oauth_token'), endpoint: 'authorize' };
  const question = await visit('/oauth/sign_in', { ...form, username, password });
  const answered = await visit('/oauth/authorize', {
    csrf: fieldOf(question, 'csrf'),
    oauth_token: form.oauth_token,
    decision: 'approve',
  });
  return { url, pin: /id="pin">(\d+)</.exec(answered)?.[1] ?? '' };
}

/** `marquee login`, whose questions are answered with what `pins` makes of the page. */
async function login(argv: string[], env: Record<string, string>, pins: (page: string) => Promise<string[]>) {
  const { child, ended } = place.run(['login', ...argv], { env, open: true });
  const page = await new Promise<string>((resolve) => {
    let said = '';
    child.stderr!.on('data', (chunk) => {
      said += String(chunk);
      const found = /^ {2}(http\S+)$/m.exec(said);
      if (found && said.endsWith('PIN: ')) resolve(found[1]);
    });
    child.once('close', () => resolve(''));
  });
  if (page) for (const pin of await pins(page)) child.stdin!.write(`${pin}\n`);
  child.stdin!.end();
  return ended;
}

it('takes the PIN, keeps the pair for its user alone, and requests use it', async () => {
  const env = { ...elsewhere };
  writeFileSync(place.path('app.json'), JSON.stringify({ ...demo, access_token: '', access_token_secret: '' }));
  const ended = await login(['-c', place.path('app.json')], env, async (page) => [(await allow(page)).pin]);
  const path = place.path('config/marquee/profiles/default.json');
  expect(ended).toMatchObject({
    exitCode: 0,
    stdout: `You are @${demo.username} at ${place.url}. Requests now use this profile. It is stored in ${path}\n`,
  });
  expect([path, place.path('config/marquee/profiles')].map((each) => statSync(each).mode & 0o777)).toEqual([
    0o600, 0o700,
  ]);
  const kept = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
  expect(kept).toMatchObject({ base_url: place.url, username: demo.username, account_id: demo.account_id });
  expect(ended.stdout + ended.stderr).not.toContain(kept.access_token_secret);
  expect(kept.access_token_secret).not.toBe(demo.access_token_secret);

  const asked = await place.marquee(['request', 'GET', '/12/accounts/:account_id'], { env });
  expect(asked).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^200 OK/) });
  expect(JSON.parse(asked.stdout).data.id).toBe(demo.account_id);
});

it('asks again after a wrong PIN, and gives up where none comes', async () => {
  const env = { ...elsewhere, XDG_CONFIG_HOME: place.path('wrong') };
  const argv = ['-c', place.path('demo-credentials.json'), '--profile', 'second'];
  const wrong = await login(argv, env, async (page) => {
    const { pin } = await allow(page);
    return [pin === '0000000' ? '1111111' : '0000000', pin];
  });
  expect(wrong).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('That is not the PIN of this login.') });
  const none = await login(argv, env, async () => []);
  expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/PIN: error: no PIN was entered/) });
  const denied = await login(argv, env, async () => ['1', '2', '3', '4', '5']);
  expect(denied).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('too many wrong PINs') });
});

it('keeps several, of which one is the current one, and forgets them', async () => {
  const env = { ...elsewhere, XDG_CONFIG_HOME: place.path('several') };
  const marquee = (...argv: string[]) => place.marquee(argv, { env });
  const argv = ['-c', place.path('demo-credentials.json')];
  for (const name of ['one', 'two'])
    expect(
      await login([...argv, '-p', name, ...(name === 'two' ? ['--access', 'read'] : [])], env, async (page) => [
        (await allow(page)).pin,
      ]),
    ).toMatchObject({ exitCode: 0 });
  expect((await marquee('profile', 'list')).stdout).toBe(
    [
      'PROFILE  CURRENT  USERNAME  BASE_URL',
      ...['one      no ', 'two      yes'].map((line) => `${line}      ${demo.username}      ${place.url}`),
      '',
    ].join('\n'),
  );
  const write = ['request', 'PUT', '/12/accounts/:account_id', 'name=Renamed'];
  expect(await marquee(...write)).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^403/) });
  expect(await marquee(...write, '--profile', 'one')).toMatchObject({ exitCode: 0 });
  expect(await place.marquee(write, { env: { ...env, MARQUEE_PROFILE: 'one' } })).toMatchObject({ exitCode: 0 });
  expect(await marquee('profile', 'use', 'one')).toMatchObject({ exitCode: 0 });
  expect(await marquee(...write)).toMatchObject({ exitCode: 0 });
  expect(await marquee('profile', 'use', 'none')).toMatchObject({
    exitCode: 1,
    stderr:
      'error: there is no profile none; existing profiles are one, two; `marquee login --profile none` creates it\n',
  });

  const { access_token: token } = JSON.parse(readFileSync(place.path('several/marquee/profiles/two.json'), 'utf8'));
  expect(await marquee('logout', '--profile', 'two', '--revoke', '--json')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('"revoked": true'),
  });
  expect((await place.inside(['token', 'show', token as string])).stdout).toMatch(/revoked_at +20/);
  expect(await marquee('logout')).toMatchObject({ exitCode: 0, stdout: 'The profile one is deleted.\n' });
  expect(await marquee('logout')).toMatchObject({ exitCode: 1, stderr: 'error: nobody is logged in\n' });
  expect(await marquee('request', 'GET', '/12/accounts')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/there are no credentials.*marquee login/),
  });
});

it('logs in to the demo as it stands, and says that requests have credentials already', async () => {
  const env = { XDG_CONFIG_HOME: place.path('beside') };
  const ended = await login([], env, async (page) => [(await allow(page)).pin]);
  expect(ended).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(
      /Requests use this profile with --profile default; otherwise they use \S+demo-credentials.json/,
    ),
  });
});

it('ends a flow of the demo with the command that its callback shows', async () => {
  const cwd = place.dataDir;
  const begin = await (await fetch(`${place.url}/demo/callback`)).text();
  const run = async (html: string) => {
    const command = (/id="command">npx marquee ([^<]*)</.exec(html)?.[1] ?? '').replaceAll('&gt;', '>');
    const [line, file] = command.split(' > ');
    const ended = await place.marquee(line.split(' '), { cwd });
    expect(ended).toMatchObject({ exitCode: 0 });
    if (file) writeFileSync(place.path(file), ended.stdout);
    return ended.stdout;
  };
  const token = new URLSearchParams(await run(begin)).get('oauth_token');
  const { url: last } = await allow(`/oauth/authorize?oauth_token=${token}`);
  expect(last).toContain('/demo/callback?oauth_token=');
  const answer = new URLSearchParams(await run(await (await fetch(last)).text()));
  expect(answer.get('screen_name')).toBe(demo.username);
});

it('says which scheme is spoken where the other one was used', async () => {
  const https = place.url.replace('http:', 'https:');
  const host = new URL(place.url).host;
  const ended = await place.marquee(['request', 'GET', `${https}/12/accounts`]);
  expect(ended).toMatchObject({
    exitCode: 1,
    stderr: `error: ${host} speaks http, not https; begin the URL, or base_url of the credentials, with http://\n`,
  });
  const login = await place.marquee(['login', '--url', https]);
  expect(login).toMatchObject({
    exitCode: 1,
    stderr: `error: ${host} speaks http, not https; begin the URL, or base_url of the credentials, with http://\n`,
  });

  const signed = await place.marquee(['sign', 'GET', `${https}/12/accounts`]);
  expect(signed).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/^The base URL of .* begins with http:.*\n$/),
  });
  const bare = await place.marquee(['sign', 'GET', `${host}/12/accounts`]);
  expect(bare).toMatchObject({ exitCode: 0, stderr: '' });
  expect(bare.stdout).toContain(`Request\nGET ${place.url}/12/accounts\n`);

  const sendsOn = createPlainServer((request, response) => {
    response.writeHead(308, { location: `https://127.0.0.1${request.url}` }).end();
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => sendsOn.once('listening', listening));
  const { port } = sendsOn.address() as AddressInfo;
  const sent = await place.marquee(['request', 'GET', `http://127.0.0.1:${port}/12/accounts`]);
  sendsOn.close();
  expect(sent).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`127.0.0.1:${port} redirects http to https, but`),
  });
});

it('shows what the running service runs with', async () => {
  const env = { RATE_LIMITS: 'faithful' };
  expect(JSON.parse((await place.marquee(['config', 'print', '--json'], { env })).stdout)).toMatchObject(env);
  const running = await place.marquee(['config', 'print', '--running', '--json'], { env });
  expect(JSON.parse(running.stdout)).toMatchObject({
    version: expect.stringMatching(/^\d/),
    pid: expect.any(Number),
    started_at: expect.stringMatching(/^20.*Z$/),
    RATE_LIMITS: 'relaxed',
    DATA_DIR: place.dataDir,
  });
  const nobody = await place.on();
  expect(
    await nobody.marquee(['config', 'print', '--running'], { env: { DATA_DIR: place.path('none') } }),
  ).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^error: no service of this user runs with DATA_DIR/),
  });
});

/** Somebody with a browser who signs in on the page of OAuth 2.0 and approves; their browser ends at the command. */
async function approve(page: string): Promise<void> {
  let cookie = '';
  const visit = async (path: string, form?: Record<string, string>): Promise<string> => {
    const answer = await fetch(new URL(path, place.url), {
      method: form ? 'POST' : 'GET',
      headers: { cookie },
      body: form && new URLSearchParams(form),
      redirect: 'manual',
    });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const next = answer.headers.get('location');
    return next ? visit(next) : answer.text();
  };
  const csrfOf = (html: string) => /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '';
  const { pathname, search } = new URL(page);
  const next = pathname + search;
  const { username, password } = demo;
  const question = await visit('/oauth/sign_in', { csrf: csrfOf(await visit(next)), next, username, password });
  expect(await visit(next, { csrf: csrfOf(question), decision: 'approve' })).toContain('return to the terminal');
}

/** `marquee login --oauth2` into the profile browser. */
async function loginByOAuth2(env: Record<string, string>): Promise<void> {
  const argv = ['login', '--oauth2', '-p', 'browser', '-c', place.path('demo-credentials.json')];
  const { child, ended } = place.run(argv, { env, open: true });
  let said = '';
  child.stderr!.on('data', (chunk) => {
    said += String(chunk);
    const page = /^ {2}(http\S+)$/m.exec(said)?.[1];
    if (page) void approve(page);
    if (page) child.stderr!.removeAllListeners('data');
  });
  expect(await ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`You are @${demo.username}`) });
}

it('commands have the token of a login by OAuth 2.0, or name the keys that they need', async () => {
  const env = { ...elsewhere, XDG_CONFIG_HOME: place.path('commands') };
  await loginByOAuth2(env);
  const path = place.path('commands/marquee/profiles/browser.json');
  const expire = () => {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
    writeFileSync(path, JSON.stringify({ ...kept, oauth2_expires_at: '1' }));
  };
  const marquee = (...argv: string[]) => place.marquee([...argv, '-p', 'browser'], { env });
  const written = (name: string, content: unknown) => {
    writeFileSync(place.path(name), JSON.stringify(content));
    return place.path(name);
  };

  expire();
  const doctor = await marquee('doctor', '--json');
  expect(doctor.exitCode).toBe(0);
  expect(JSON.parse(doctor.stdout)).toEqual(
    expect.arrayContaining([
      { check: 'keys', state: 'ok', found: 'oauth2_access_token is in the profile browser' },
      { check: 'signed request', state: 'ok', found: expect.stringMatching(/^GET \S+ returns \d+ accounts?$/) },
    ]),
  );

  const step = { name: 'accounts', method: 'get', path: '/12/accounts' };
  expect(await marquee('fixtures', written('step.json', [step]))).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^accounts: 200 /),
  });
  const exchange = {
    request: { method: 'GET', url: 'https://ads-api.example/12/accounts' },
    response: { status: 200, body: {} },
  };
  const drift = JSON.parse((await marquee('drift', written('exchange.json', exchange), '--json')).stdout) as object;
  expect(drift).toMatchObject({ summary: [{ operation: 'listAccounts', requests: 1, status: 0 }] });
  expect(await marquee('namespaces', 'list', '--json')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Example to delete'),
  });

  // the token expires while it runs
  const textOf = (id: string) => ({ type: 'text', text: expect.stringContaining(id) });
  const args = [resolve('bin/marquee.mjs'), 'mcp', '-p', 'browser'];
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'inherit' }));
  try {
    for (const prepare of [() => undefined, expire]) {
      prepare();
      const calls = [1, 2].map(() => client.callTool({ name: 'listAccounts', arguments: {} }));
      for (const { isError, content } of await Promise.all(calls))
        expect([isError, content]).toEqual([undefined, expect.arrayContaining([textOf(demo.account_id)])]);
    }
  } finally {
    await client.close();
  }

  for (const argv of [
    ['sign', 'GET', '/12/accounts'],
    ['webhook', 'listen', '--forward-to', 'http://127.0.0.1:1/'],
  ])
    expect(await marquee(...argv)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^error: consumer_key is missing in the profile browser: it has tokens of OAuth 2\.0/,
      ),
    });
});

it('signs in by OAuth 2.0, requests send the token, an expired one is refreshed, and it can be revoked', async () => {
  const env = { ...elsewhere, XDG_CONFIG_HOME: place.path('oauth2') };
  await loginByOAuth2(env);
  const path = place.path('oauth2/marquee/profiles/browser.json');
  const kept = () => JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
  const request = () => place.marquee(['request', 'GET', '/12/accounts', '-p', 'browser'], { env });
  expect(kept().consumer_secret).toBeUndefined();
  expect(await request()).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^200 OK/) });
  const before = kept();
  writeFileSync(path, JSON.stringify({ ...before, oauth2_expires_at: '1' }));
  expect(await request()).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^200 OK/) });
  expect(kept().oauth2_access_token).not.toBe(before.oauth2_access_token);

  // files add to the profile, which alone keeps new tokens
  const file = place.path('ids.json');
  const withFile = (...argv: string[]) =>
    place.marquee(['request', 'GET', '/12/accounts', ...argv, '-c', file], { env });
  const expired: Record<string, string> = { ...kept(), oauth2_expires_at: '1' };
  writeFileSync(path, JSON.stringify(expired));
  writeFileSync(file, JSON.stringify({ account_id: demo.account_id, note: 'mine' }));
  expect(await withFile('-p', 'browser')).toMatchObject({ exitCode: 0 });
  expect(kept().oauth2_refresh_token).not.toBe(expired.oauth2_refresh_token);
  expect(kept()).not.toHaveProperty('note');
  writeFileSync(file, JSON.stringify({ ...kept(), oauth2_expires_at: '1' }));
  expect(await withFile()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('name the profile') });
  expect(await request()).toMatchObject({ exitCode: 0 });

  // the first answer to a refresh does not arrive
  let refreshes = 0;
  const pass = async (asked: IncomingMessage, response: ServerResponse) => {
    const headers = { 'content-type': asked.headers['content-type']! };
    const answer = await fetch(`${place.url}${asked.url}`, { method: 'POST', headers, body: await text(asked) });
    if (++refreshes > 1) response.writeHead(answer.status).end(await answer.text());
  };
  const lossy = createPlainServer((asked, response) => void pass(asked, response)).listen(0, '127.0.0.1');
  await once(lossy, 'listening');
  const { port } = lossy.address() as AddressInfo;
  const last = { ...kept(), oauth2_expires_at: '1' };
  writeFileSync(path, JSON.stringify({ ...last, base_url: `http://127.0.0.1:${port}` }));
  expect(await request()).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^200 OK/) });
  expect(refreshes).toBe(2);
  lossy.closeAllConnections();
  lossy.close();
  writeFileSync(path, JSON.stringify({ ...kept(), base_url: place.url }));
  const logout = () => place.marquee(['logout', '-p', 'browser', '--revoke'], { env });
  const renewed = kept();
  writeFileSync(path, JSON.stringify({ ...renewed, client_id: 'unknown' }));
  expect(await logout()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('the profile is kept') });
  writeFileSync(path, JSON.stringify(renewed));
  expect(await logout()).toMatchObject({ exitCode: 0 });
});
