import { spawn } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { useApp, world } from '../../support/app.js';
import { connect, oauth2App } from '../auth/oauth2-client.js';

useApp({ RATE_LIMITS: 'relaxed', TRUST_PROXY: '127.0.0.1' });

const CONFORMANCE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** The scenarios for every server. */
const PASSED = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
];

/** The others, with the reason. */
const OTHERS = {
  'calls a tool, prompt or resource that only a test server has': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-logging',
    'tools-call-error',
    'tools-call-with-progress',
    'json-schema-2020-12',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ],
  'needs a session, such as to ask the client': [
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'server-sse-polling',
    'server-sse-multiple-streams',
  ],
  'is an optional capability that the server does not announce': [
    'logging-set-level',
    'completion-complete',
    'resources-subscribe',
    'resources-unsubscribe',
  ],
};

/** Runs the suite, which cannot send credentials: a proxy adds them, and leaves all else as it is. */
async function conformance(...args: string[]): Promise<{ exitCode: number | null; said: string }> {
  const { tokens } = await connect(await oauth2App());
  const { port } = new URL(world().url);
  const proxy = createServer((asked, answer) => {
    const { method, url, headers } = asked;
    const authorization = `Bearer ${tokens.access_token}`;
    const options = { host: '127.0.0.1', port, method, path: url, headers: { ...headers, authorization } };
    const sent = request(options, (given) => given.pipe(answer.writeHead(given.statusCode!, given.headers)));
    asked.pipe(sent.on('error', () => answer.destroy()));
  });
  await new Promise<void>((started) => proxy.listen(0, '127.0.0.1', started));
  try {
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
    const child = spawn(process.execPath, [CONFORMANCE, 'server', '--url', url, ...args], { stdio: 'pipe' });
    const exited = new Promise<number | null>((ended) => child.once('close', ended));
    const [exitCode, ...said] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
    return { exitCode, said: said.join('\n') };
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}

it.each(PASSED)('passes %s of the conformance suite', async (scenario) => {
  const { exitCode, said } = await conformance('--scenario', scenario);
  expect({ exitCode, said: exitCode === 0 ? '' : said }).toEqual({ exitCode: 0, said: '' });
  expect(said).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/);
});

it('knows each scenario of the suite', async () => {
  const child = spawn(process.execPath, [CONFORMANCE, 'list', '--server'], { stdio: 'pipe' });
  const named = [...(await text(child.stdout)).matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual([...PASSED, ...Object.values(OTHERS).flat()].sort());
});
