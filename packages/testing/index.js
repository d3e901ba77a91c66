/** Starts Marquee for tests, with a store that ends with it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runInThisContext } from 'node:vm';
import { clockOptions } from './clock.js';
import { handleOf, newCredentials } from './handle.js';
import { children, startInProcess, startProcess } from './process.js';

// that of Node: Jest gives tests a copy, which emits no `exit`
const nodeProcess = runInThisContext('process');

/** The folders of the services that run. */
const folders = new Set();

// a child that was killed this moment may still write
const removeFolder = (folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** Leaves nothing of the services that run: a process that exits cannot wait for them to stop. */
function endAll() {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) removeFolder(folder);
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
 * sandbox accounts are frozen; or `{ startsAt }`, the time at which the clock of the service starts. `inProcess`: runs the service
 * in this process. `env`: further environment variables. `command`: the program and its first arguments.
 */
export async function startMarquee({ seed = 'demo', clock, inProcess = false, env = {}, command } = {}) {
  if (seed !== 'demo' && seed !== 'empty') throw new TypeError(`seed must be demo or empty, not ${String(seed)}`);
  if (inProcess && command) throw new TypeError('inProcess runs no command: leave one of them out');
  const { frozenAt, startsAt } = clockOptions(clock);
  const dataDir = mkdtempSync(join(tmpdir(), 'marquee-testing-'));
  folders.add(dataDir);
  if (folders.size === 1) nodeProcess.on('exit', endAll);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    ...{ HOST: '127.0.0.1', PORT: `${port}`, BASE_URL: url, DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    ...{ DEMO: `${seed === 'demo'}`, WORKBENCH: 'true', ...(startsAt && { CLOCK_STARTS_AT: startsAt }) },
    ...env,
  };
  // the clock of the service starts a moment later, which signatures tolerate
  const offset = startsAt === undefined ? 0 : Date.parse(startsAt) - Date.now();
  let service;
  let stopped;
  const stop = () =>
    (stopped ??= (async () => {
      await service?.stop();
      removeFolder(dataDir);
      folders.delete(dataDir);
      // Jest loads this module for each file of tests, and a listener would keep all of them
      if (folders.size === 0) nodeProcess.off('exit', endAll);
    })());
  try {
    service = await (inProcess ? startInProcess(environment) : startProcess(environment, command));
    // nothing passes that was signed in the second in which the store was opened
    await pause(1_000 - (Date.now() % 1_000));
    const credentials =
      seed === 'demo'
        ? JSON.parse(readFileSync(join(dataDir, 'demo-credentials.json'), 'utf8'))
        : await newCredentials(service.command, url);
    const handle = await handleOf(credentials, { offset, frozenAt, run: service.command });
    return Object.defineProperties({ url, stop }, Object.getOwnPropertyDescriptors(handle));
  } catch (error) {
    await stop();
    throw error;
  }
}
