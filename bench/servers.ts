import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { QUOTAS } from '../src/config/quotas.js';
import type { World } from './world.js';

/** The same for every server that is measured. */
export const NODE_FLAGS = ['--max-semi-space-size=64'];

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Windows are counted as ever; nothing reaches a ceiling. */
const CEILINGS = Object.fromEntries(Object.keys(QUOTAS).map((name) => [`RATE_LIMIT_${name}`, '1000000000/900']));

export interface Server {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** The service as it runs in production: everything on, its log at info into /dev/null. `program`: of another build. */
export function startService(
  world: World,
  port: number,
  environment: Record<string, string>,
  program = file('../../bin/service.mjs'),
): Promise<Server> {
  return start(port, [program], {
    ...world.environment,
    PORT: `${port}`,
    BASE_URL: `http://127.0.0.1:${port}`,
    RATE_LIMITS: 'faithful',
    ...CEILINGS,
    LOG_LEVEL: 'info',
    SHUTDOWN_DELAY_MS: '0',
    ...environment,
  });
}

/** `ours`: the port of the service, whose addresses of files the reference answers too. */
export const startReference = ({ databaseUrl }: World, port: number, ours: number): Promise<Server> =>
  start(port, [file('reference.js'), JSON.stringify({ databaseUrl, port, baseUrl: `http://127.0.0.1:${ours}` })], {});

async function start(port: number, command: string[], environment: Record<string, string>): Promise<Server> {
  if (await listens(port)) throw new Error(`port ${port} is taken; choose others with --port`);
  const child = spawn(process.execPath, [...NODE_FLAGS, ...command], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', openSync('/dev/null', 'w'), 'inherit'],
  });
  const server = { port, pid: child.pid!, stop: () => end(child) };
  for (const deadline = performance.now() + 30_000; performance.now() < deadline; await pause(50)) {
    if (child.exitCode !== null) throw new Error(`${command[0]} ended with ${child.exitCode}`);
    if (await listens(port)) return server;
  }
  await server.stop();
  throw new Error(`${command[0]} does not listen`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const forced = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(forced);
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
