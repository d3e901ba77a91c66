import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Postgres } from './support/postgres.js';
import { Redis } from './support/redis.js';
import { ROOT } from './support/paths.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted } from './support/table.js';

/** How many requests half an hour brings at least. */
const REQUESTS = 20_000;
const HALF_AN_HOUR = 30;

/**
 * Sequences of random requests, compared with a model of the service (test/model), through two replicas on PostgreSQL and
 * Redis for as long as `--minutes` says; with `--quick` for one minute. A quarter of that time more, eight workers carry out plans
 * at once.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const [postgres, redis] = await Promise.all([Postgres.start(stage), Redis.start(stage)]);
    const minutes = settings.quick ? 1 : settings.minutes;
    const env = {
      ...process.env,
      ...{ TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url, TEST_REPLICAS: '2' },
      ...{ MODEL_SECONDS: String(minutes * 60), MODEL_COMMANDS: '100' },
    };
    const args = ['run', '--silent', 'test:e2e', '--', 'test/e2e/model'];
    const child = spawn('npm', args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    stage.owns(child, 'SIGTERM');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void (output += String(chunk)));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) console.log(output);
    const [, seed = 'none', requests = '0'] = /model: seed (\d+), (\d+) requests/.exec(output) ?? [];
    const [, atOnce = '0'] = /at once: seed \d+, (\d+) requests/.exec(output) ?? [];
    return [
      noted('seed', seed),
      atLeast(
        'requests',
        Number(requests),
        settings.quick ? 1 : Math.min(REQUESTS, (REQUESTS * minutes) / HALF_AN_HOUR),
      ),
      atLeast('requests of workers at once', Number(atOnce), 1),
      atMost('sequences that differ from the model, and plans that no order explains', code === 0 ? 0 : 1, 0),
    ];
  });
}
