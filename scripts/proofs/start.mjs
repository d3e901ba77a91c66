/** From a fresh clone to a service that is ready, and the start after it. npm's cache should be warm. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PORT, untilReady, withFolder } from './service.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FIRST_MS = 30_000;
const SECOND_MS = 5_000;

export function prove() {
  return withFolder(async (folder) => {
    const clone = join(folder, 'marquee');
    execFileSync('git', ['clone', '--quiet', ROOT, clone]);
    const began = performance.now();
    execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
    const installed = performance.now() - began;
    const first = await started(clone);
    const second = await started(clone);
    console.log(
      `npm install: ${seconds(installed)}; npm start, ready: ${seconds(first)}; the second time: ${seconds(second)}`,
    );
    return [
      ...(installed + first > FIRST_MS ? [`from a clone to ready: ${seconds(installed + first)}`] : []),
      ...(second > SECOND_MS ? [`second start: ${seconds(second)}`] : []),
    ];
  });
}

/** How long `npm start` takes to be ready. */
async function started(clone) {
  const began = performance.now();
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, PORT };
  const npm = spawn('npm', ['start'], {
    cwd: clone,
    env: environment,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(npm, 'exit');
  try {
    await untilReady(PORT, () => npm.exitCode === null);
    return performance.now() - began;
  } finally {
    // npm and what it started are one process group
    process.kill(-npm.pid, 'SIGTERM');
    await ended;
  }
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
