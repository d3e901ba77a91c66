import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { lives } from './support/child.js';
import { ROOT } from './support/paths.js';
import { freePort } from './support/ports.js';
import { untilReady } from './support/ready.js';
import { type Stage, withStage } from './support/stage.js';
import { atMost, type Figure, noted } from './support/table.js';

const PATIENCE_MS = 120_000;

/** From a fresh clone to a service that is ready, and the start after it. npm's cache should be warm. */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const clone = join(stage.folder, 'marquee');
    execFileSync('git', ['clone', '--quiet', ROOT, clone]);
    const began = performance.now();
    execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
    const installed = performance.now() - began;
    const first = await started(stage, clone);
    const second = await started(stage, clone);
    return [
      noted('npm install; npm start until ready', `${seconds(installed)}; ${seconds(first)}`),
      atMost('from a clone to ready', (installed + first) / 1_000, 30, 's'),
      atMost('second start', second / 1_000, 5, 's'),
    ];
  });
}

/** How long `npm start` takes to be ready. */
async function started(stage: Stage, clone: string): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const npm = spawn('npm', ['start'], {
    cwd: clone,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: `${port}` },
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  stage.owns(npm, 'SIGTERM');
  const ended = once(npm, 'exit');
  // npm and what it started are one process group.
  const stop = async () => {
    if (!lives(npm)) return;
    process.kill(-npm.pid!, 'SIGTERM');
    await ended;
  };
  stage.atEnd(stop);
  await untilReady(port, npm, PATIENCE_MS);
  const took = performance.now() - began;
  await stop();
  return took;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
