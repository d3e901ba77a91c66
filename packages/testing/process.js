/** The service in a process, and in this one. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

// that of Node: test runners replace the one that an import returns
const { createRequire } = process.getBuiltinModule('node:module');

const START_MS = 120_000;
/** The service interrupts what still runs after 25 seconds. */
const STOP_MS = 30_000;
/** How much of what the process writes a message repeats. */
const MAX_SAID = 2_000;

/** The services that run in processes. */
export const children = new Set();

/** A file of the checkout that this package is in, or of the package `marquee` beside it or in the project; undefined without one. */
function fileOfMarquee(path) {
  const checkout = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  if (existsSync(checkout)) return checkout;
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return join(dirname(createRequire(from).resolve('marquee/package.json')), path);
    } catch {
      // not there
    }
  }
  return undefined;
}

/** The command of a checkout of Marquee or of the installed package, or the one in PATH. */
function defaultCommand() {
  const program = fileOfMarquee('bin/marquee.mjs');
  return program ? [process.execPath, program] : ['marquee'];
}

/** Starts the service as a process and waits until it is ready. */
export async function startProcess(environment, [program, ...first] = defaultCommand()) {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ...environment };
  const child = spawn(program, [...first, 'serve'], {
    // its standard input ends with this process, even if that is killed
    env: { ...env, MARQUEE_STOP_WITH_STDIN: 'true' },
    stdio: 'pipe',
  });
  children.add(child);
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await Promise.race([ended, pause(STOP_MS, undefined, { ref: false })]);
    child.kill('SIGKILL');
    await ended;
    children.delete(child);
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
  const place = fileOfMarquee('bin/in-process.mjs');
  if (!place) throw new Error('inProcess needs the package marquee, or a checkout of it; leave it out');
  const nativeImport = createRequire(import.meta.url)('./native-import.cjs');
  return (await nativeImport(pathToFileURL(place).href)).startInProcess(environment);
}
