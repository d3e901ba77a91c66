/** Starts Marquee for tests, as a process with a store that ends with it. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from './client.js';

const START_MS = 120_000;
/** How much of what the process writes a message repeats. */
const MAX_SAID = 2_000;

/** The command of a checkout of Marquee, or the installed one. */
function commandOf() {
  const checkout = fileURLToPath(new URL('../../bin/marquee.mjs', import.meta.url));
  return existsSync(checkout) ? [process.execPath, checkout] : ['marquee'];
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/**
 * Starts Marquee on a free port with an embedded store in a temporary folder, and resolves when it is ready.
 *
 * `seed`: `demo` has the demo's data; `empty` has a user with an application and nothing else. `clock`: the time at which the
 * clock of the service starts; it runs on from there. `env`: further environment variables. `command`: the program and its first
 * arguments.
 */
export async function startMarquee({ seed = 'demo', clock, env = {}, command = commandOf() } = {}) {
  if (seed !== 'demo' && seed !== 'empty') throw new TypeError(`seed must be demo or empty, not ${String(seed)}`);
  if (clock !== undefined && Number.isNaN(Date.parse(clock)))
    throw new TypeError(`clock must be a time such as 2026-12-24T18:00:00Z, not ${String(clock)}`);
  const dataDir = mkdtempSync(join(tmpdir(), 'marquee-testing-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { PATH = '', HOME = '' } = process.env;
  const environment = {
    ...{ PATH, HOME, HOST: '127.0.0.1', PORT: `${port}`, BASE_URL: url, DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    ...{
      DEMO: `${seed === 'demo'}`,
      WORKBENCH: 'true',
      ...(clock !== undefined && { CLOCK_STARTS_AT: new Date(clock).toISOString() }),
    },
    ...env,
  };
  const [program, ...first] = command;
  // the clock of the service starts a moment later, which signatures tolerate
  const offset = clock === undefined ? 0 : Date.parse(clock) - Date.now();
  const child = spawn(program, [...first, 'serve'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await untilReady(child, url);
    const credentials =
      seed === 'demo'
        ? JSON.parse(readFileSync(join(dataDir, 'demo-credentials.json'), 'utf8'))
        : await newCredentials(command, environment, url);
    const client = new Client(credentials, { offset });
    return {
      url,
      credentials,
      request: (...args) => client.request(...args),
      namespace: (options) => client.namespace(options),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits until the service is ready and accepts signatures. */
async function untilReady(child, url) {
  let said = '';
  let failure;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (said = (said + String(chunk)).slice(-MAX_SAID)));
  child.once('error', (error) => (failure = error));
  for (const until = Date.now() + START_MS; Date.now() < until;) {
    if (failure) throw failure;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`Marquee ended with ${child.exitCode ?? child.signalCode}: ${said}`);
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
    // nothing passes that was signed in the second in which the store was opened
    if (answer?.ok) return pause(1_000 - (Date.now() % 1_000));
    await pause(100);
  }
  throw new Error(`Marquee did not become ready: ${said}`);
}

/** Creates a user with an application and a token on the running service. */
async function newCredentials([program, ...first], env, url) {
  const run = async (...args) =>
    JSON.parse((await promisify(execFile)(program, [...first, ...args, '--json'], { env })).stdout);
  const user = await run('user', 'create', 'tester', '--no-password');
  const application = await run('app', 'create', '--name', 'Tests', '--owner', 'tester');
  const token = await run('token', 'issue', '--user', 'tester', '--app', 'Tests');
  const urls = { base_url: url, ads_base_url: url, ads_sandbox_base_url: `${url}/sandbox` };
  return { ...user, ...application, ...token, ...urls };
}
