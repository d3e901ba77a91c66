import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Postgres } from './support/postgres.js';
import { Redis } from './support/redis.js';
import { ROOT } from './support/paths.js';
import { READS, serveFailovers, STANDBY } from './support/failovers.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted } from './support/table.js';

/** How many requests half an hour brings at least. */
const REQUESTS = 20_000;
const HALF_AN_HOUR = 30;
/** With what starts and ends around it, it then takes a minute. */
const QUICK_MINUTES = 1 / 3;
/** The long run finds what is read too early from the read replica, not only on a busy machine. */
const LATE = 'recovery_min_apply_delay=200ms';
/** The same sequences each time: a change is judged by what it changes. The long run searches. */
const QUICK_SEED = process.env.MODEL_SEED ?? '4711';

/**
 * Sequences of random requests, compared with a model of the service (test/model), through two replicas that are processes, on
 * PostgreSQL with a synchronous standby and one that serves reads, and on Redis. Replicas are killed and the database fails over in
 * the middle of requests. It takes as long as `--minutes` says; with `--quick` about a minute. Half of that time more,
 * eight workers carry out plans at once, and campaigns spend money.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const redis = await Redis.start(stage);
    const primary = await Postgres.start(stage, [
      'track_commit_timestamp=on',
      'wal_keep_size=256MB',
      'wal_retrieve_retry_interval=200ms',
    ]);
    const standby = await primary.standby();
    const late = settings.quick ? [] : [LATE];
    const replica = await primary.standby([followerOf(primary, standby), 'hot_standby_feedback=on', ...late], READS);
    await primary.requireStandby(STANDBY);
    const servers = await serveFailovers(stage, primary, standby, replica);
    const minutes = settings.quick ? QUICK_MINUTES : settings.minutes;
    const env = {
      ...process.env,
      ...{ TEST_DATABASE_URL: primary.url, TEST_REDIS_URL: redis.url, TEST_REPLICAS: '2', TEST_PROCESSES: '1' },
      ...{ TEST_DATABASE_STANDBYS: `127.0.0.1:${standby.port}`, TEST_READ_REPLICAS: `127.0.0.1:${replica.port}` },
      ...{
        MODEL_SECONDS: String(minutes * 60),
        ...(settings.quick && { MODEL_COMMANDS: '60', MODEL_WRITES_PER_DISASTER: '50', MODEL_SEED: QUICK_SEED }),
        MODEL_SERVERS: servers.url,
      },
    };
    const args = ['run', '--silent', 'test:e2e', '--', 'test/e2e/model'];
    const child = spawn('npm', args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    stage.owns(child, 'SIGTERM');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void (output += String(chunk)));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) console.log(output);
    const [, seed = 'none', requests = '0', kills = '0', failovers = '0'] =
      /model: seed (\d+), (\d+) requests, (\d+) kills, (\d+) failovers/.exec(output) ?? [];
    const [, atOnce = '0'] = /at once: seed \d+, (\d+) requests/.exec(output) ?? [];
    return [
      noted('seed', seed),
      atLeast(
        'requests',
        Number(requests),
        settings.quick ? 1 : Math.min(REQUESTS, (REQUESTS * minutes) / HALF_AN_HOUR),
      ),
      noted('kills of replicas, and failovers, in the middle of requests', `${kills}, ${failovers}`),
      atLeast('requests of workers at once', Number(atOnce), 1),
      atMost('sequences that differ from the model, and plans that no order explains', code === 0 ? 0 : 1, 0),
    ];
  });
}

/** A standby that follows whichever of two servers is the primary. */
const followerOf = (...servers: Postgres[]): string =>
  `primary_conninfo=user=postgres application_name=${READS} host=${servers.map(() => '127.0.0.1').join()} port=${servers.map(({ port }) => port).join()} target_session_attrs=read-write`;
