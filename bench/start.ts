import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { demoOf } from '../scripts/proofs/support/demo.js';
import { residentOf } from '../scripts/proofs/support/memory.js';
import { ROOT } from '../scripts/proofs/support/paths.js';
import { freePort } from '../scripts/proofs/support/ports.js';
import { type Answer, ask, signed } from '../scripts/proofs/support/requests.js';
import { median } from './statistics.js';

/** What was measured, and the median of the rounds. */
export interface StartFigure {
  name: string;
  value: number;
  unit: 's' | 'MiB';
}

const PATIENCE_MS = 180_000;
/** After it answers, the service finishes what needs no answer; then it is idle. */
const IDLE_MS = 20_000;
const BARE = `
  import('fastify').then(async ({ fastify }) => {
    const app = fastify();
    app.get('/health/ready', () => 'ok');
    await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
  })`;

/**
 * The first minute of a user on the embedded store: from a clone to an answer of a signed request, starts, memory when idle, and
 * commands, beside an empty Node process and a bare Fastify. npm's cache should be warm.
 */
export async function measureStarts(rounds: number, measured: (figure: StartFigure) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-start-'));
  const clone = join(folder, 'clone');
  const report = (name: string, values: number[], unit: StartFigure['unit'] = 's') =>
    measured({ name, value: median(values), unit });
  try {
    await repeated(rounds, () => timed(() => run(ROOT, '-e', '0'))).then((times) => report('node -e 0', times));
    await repeated(rounds, () => startedAndStopped(ROOT, ['-e', BARE], '')).then((times) =>
      report('bare Fastify, first answer', times),
    );
    const installed = await repeated(rounds, async () => {
      rmSync(clone, { recursive: true, force: true, maxRetries: 20 });
      execFileSync('git', ['clone', '--quiet', ROOT, clone]);
      const install = await timed(() => npm(clone, 'install', '--no-audit', '--no-fund'));
      const start = await startedAndStopped(clone, ['npm', 'start'], join(clone, 'data'));
      return { install, start };
    });
    report(
      'npm install',
      installed.map(({ install }) => install),
    );
    report(
      'npm install && npm start, until a signed answer',
      installed.map(({ install, start }) => install + start),
    );
    rmSync(join(clone, 'dist'), { recursive: true });
    report('first marquee --version in a checkout', [await timed(() => run(clone, 'bin/marquee.mjs', '--version'))]);
    // with the store that a build prepares, which a command does not need
    await run(clone, 'scripts/build-if-stale.mjs');
    await measureService(clone, join(folder, 'data'), rounds, report);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Starts of the built service, its memory, and commands while it runs. */
async function measureService(
  clone: string,
  data: string,
  rounds: number,
  report: (name: string, values: number[], unit?: StartFigure['unit']) => void,
): Promise<void> {
  const service = ['bin/service.mjs'];
  const firsts = await repeated(rounds, () => {
    rmSync(data, { recursive: true, force: true });
    return startedAndStopped(clone, service, data);
  });
  report('first start', firsts);
  rmSync(data, { recursive: true, force: true });
  const first = await started(clone, service, data);
  await pause(IDLE_MS);
  report('resident, idle, first start', [residentOf(first.pid)], 'MiB');
  await first.stop();
  report('second start', await repeated(rounds, () => startedAndStopped(clone, service, data)));
  const second = await started(clone, service, data);
  await pause(IDLE_MS);
  report('resident, idle, second start', [residentOf(second.pid)], 'MiB');
  const env = { DATA_DIR: data, PORT: `${second.port}` };
  const request = ['request', 'GET', '/12/accounts'];
  const command = await repeated(rounds + 1, () => timed(() => run(clone, 'bin/marquee.mjs', ...request, env)));
  report('marquee request GET /12/accounts', command.slice(1));
  const npx = await repeated(rounds, () => timed(() => runProgram(clone, 'npx', ['marquee', ...request], env)));
  report('npx marquee request GET /12/accounts', npx);
  await second.stop();
}

async function repeated<R>(rounds: number, work: () => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let round = 0; round < rounds; round++) results.push(await work());
  return results;
}

/** Seconds. */
async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

const npm = (cwd: string, ...args: string[]) => runProgram(cwd, 'npm', args);

function run(cwd: string, ...args: (string | Record<string, string>)[]): Promise<void> {
  const env = args.find((each) => typeof each === 'object');
  return runProgram(
    cwd,
    process.execPath,
    args.filter((each) => typeof each === 'string'),
    env,
  );
}

const cleanEnvironment = () => ({ PATH: process.env.PATH, HOME: process.env.HOME });

async function runProgram(cwd: string, file: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  const child = spawn(file, args, { cwd, env: { ...cleanEnvironment(), ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: exit code ${status}\n${errors}`);
}

/** Seconds until a service answers: a signed request where `data` is its folder, else that it is ready. */
async function startedAndStopped(cwd: string, command: string[], data: string): Promise<number> {
  const { seconds, stop } = await started(cwd, command, data);
  await stop();
  return seconds;
}

async function started(cwd: string, [first, ...rest]: string[], data: string) {
  const port = await freePort();
  const began = performance.now();
  const isNpm = first === 'npm';
  const child = spawn(isNpm ? first : process.execPath, isNpm ? rest : [first, ...rest], {
    cwd,
    env: { ...cleanEnvironment(), PORT: `${port}`, ...(data && { DATA_DIR: data }) },
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await untilAnswered(child, port, data, began);
  const seconds = (performance.now() - began) / 1_000;
  const ended = once(child, 'exit');
  const stop = async () => {
    process.kill(-child.pid!, 'SIGTERM');
    await ended;
    // npm ends before the service does, which has the store
    while (data && existsSync(join(data, 'store.lock'))) await pause(20);
  };
  return {
    seconds,
    port,
    pid: child.pid!,
    stop,
  };
}

async function untilAnswered(child: ChildProcess, port: number, data: string, began: number): Promise<void> {
  while (child.exitCode === null && performance.now() - began < PATIENCE_MS) {
    const answer = await asked(port, data).catch(() => undefined);
    if (answer?.status === 200) return;
    await pause(10);
  }
  throw new Error(`The service does not get ready: exit code ${child.exitCode}.`);
}

/** Rejects as long as there are no credentials. */
async function asked(port: number, data: string): Promise<Answer> {
  if (data === '') return ask(port, { method: 'GET', target: '/health/ready', headers: {} }, false);
  return ask(port, signed(`127.0.0.1:${port}`, demoOf(data).pen, 'GET', '/12/accounts'), false);
}
