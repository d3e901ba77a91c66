/** The service in a process, and in this one. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const START_MS = 120_000;
/** How much of what the process writes a message repeats. */
const MAX_SAID = 2_000;

const inCheckout = (path) => new URL(`../../${path}`, import.meta.url);

/** The command of a checkout of Marquee, or the installed one. */
function defaultCommand() {
  const checkout = fileURLToPath(inCheckout('bin/marquee.mjs'));
  return existsSync(checkout) ? [process.execPath, checkout] : ['marquee'];
}

/** Starts the service as a process and waits until it is ready. */
export async function startProcess(environment, [program, ...first] = defaultCommand()) {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ...environment };
  const child = spawn(program, [...first, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  await untilReady(child, environment.BASE_URL).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    command: async (...argv) => (await promisify(execFile)(program, [...first, ...argv], { env })).stdout,
    stop,
  };
}

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
    if (answer?.ok) return;
    await pause(100);
  }
  throw new Error(`Marquee did not become ready: ${said}`);
}

/**
 * Starts the service in this process. Node loads it, not the test runner: Jest would load its files again for each file of
 * tests, and keep them all.
 */
export async function startInProcess(environment) {
  const place = inCheckout('bin/in-process.mjs');
  if (!existsSync(place)) throw new Error('inProcess needs the package in a checkout of Marquee; leave it out');
  // that of Node: test runners replace the one that an import returns
  const { createRequire } = process.getBuiltinModule('node:module');
  const nativeImport = createRequire(import.meta.url)('./native-import.cjs');
  return (await nativeImport(place.href)).startInProcess(environment);
}
