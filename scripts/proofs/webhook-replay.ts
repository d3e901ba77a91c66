import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../../bench/statistics.js';
import type { World } from '../../bench/world.js';
import { changedIn } from './support/events.js';
import type { Replica } from './support/replica.js';
import { ask } from './support/requests.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted, worded } from './support/table.js';
import { install, serve } from './webhooks.js';

const MINUTE_MS = 60_000;
const WINDOW = 10_000;
/** Before and after it. */
const OUTSIDE = 1_000;
const LIVE_PER_SECOND = 100;
const LIVE_SECONDS = 60;
/** Commits and deliveries of what was before. */
const PATIENCE_MS = 180_000;

/**
 * A window is replayed while 100 events a second happen, and the processes that work are killed in the middle of it, one
 * after the other, the one that was asked included.
 */
export const prove = (): Promise<Figure[]> => withStage(replayWhileLive);

async function replayWhileLive(stage: Stage): Promise<Figure[]> {
  const [inside, outside, seconds] = settings.quick ? [1_000, 100, 10] : [WINDOW, OUTSIDE, LIVE_SECONDS];
  const { world, events, workers } = await install(stage, 2, { ROLE: 'both' });
  const { secret } = world.pen.consumer;
  const arrivals = new Map<string, number[]>();
  const ends: { status: { job_state: string; job_id: string }; at: number }[] = [];
  const { url } = await serve(stage, ({ url: asked = '' }, text, response) => {
    const token = new URL(asked, 'http://localhost').searchParams.get('crc_token');
    if (token !== null) {
      const response_token = `sha256=${createHmac('sha256', secret).update(token).digest('base64')}`;
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ response_token }));
    }
    const at = performance.now();
    const { replay_job_status: status } = JSON.parse(text) as { replay_job_status?: (typeof ends)[number]['status'] };
    if (status) ends.push({ status, at });
    else arrivals.set(changedIn(text), [...(arrivals.get(changedIn(text)) ?? []), at]);
    response.writeHead(200).end();
  });
  const webhookId = await events.webhook(url);

  // whole minutes, so that the edges of the window are known
  const begin = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 20 * MINUTE_MS;
  const around = (from: number, ms: number) => ({ happening: () => new Date(from + Math.random() * ms) });
  const before = await events.commit(outside, 2_000, around(begin - 5 * MINUTE_MS, 5 * MINUTE_MS));
  const window = await events.commit(inside, 2_000, around(begin, 10 * MINUTE_MS));
  const after = await events.commit(outside, 2_000, around(begin + 10 * MINUTE_MS, 5 * MINUTE_MS));
  const earlier = [...before.keys(), ...after.keys()];
  const all = earlier.length + window.size;
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end && arrivals.size < all;) await pause(100);
  // what arrived is recorded a moment later
  await pause(2_000);
  const first = new Map([...arrivals].map(([id, times]) => [id, times.length]));
  const again = () => [...window.keys()].filter((id) => (arrivals.get(id)?.length ?? 0) > (first.get(id) ?? 0)).length;

  const committing = events.commit(seconds * LIVE_PER_SECOND, LIVE_PER_SECOND);
  await pause(1_000);
  const bearer = await bearerOf(world, workers[0]);
  const asked = performance.now();
  const started = await call(workers[0], bearer, 'POST', '/2/webhooks/replay', {
    webhook_id: webhookId,
    from_date: written(begin),
    to_date: written(begin + 9 * MINUTE_MS),
  });
  if (started.status !== 200) throw new Error(`the replay is answered ${started.status} ${started.body}`);
  const { job_id: jobId } = JSON.parse(started.body) as { job_id: string };
  const killedAt: number[] = [];
  for (const [n, worker] of [...workers].reverse().entries()) {
    const enough = (inside * (n + 1)) / 3;
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end && again() < enough;) await pause(10);
    killedAt.push(again());
    await worker.kill();
    await worker.start();
  }
  const live = await committing;
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end && ends.length === 0;) await pause(100);
  const [end] = ends;
  // whatever is sent again is sent within a lease
  await pause(settings.quick ? 2_000 : 35_000);
  const told = await call(workers[0], bearer, 'GET', `/2/webhooks/replay/${jobId}`);
  const { data: job } = JSON.parse(told.body) as { data: { events: number; delivered: number; job_state: string } };

  const waits = [...live].flatMap(([id, at]) => (arrivals.has(id) ? [arrivals.get(id)![0] - at] : []));
  const twice = [...window.keys()].filter((id) => arrivals.get(id)!.length > first.get(id)! + 1).length;
  return [
    noted(
      'events in the window, around it, meanwhile',
      [window.size, earlier.length, live.size].map((n) => worded(n)).join(', '),
    ),
    noted('processes killed when so many had come again', killedAt.map((n) => worded(n)).join(', ')),
    atMost('events of the window that did not come again', window.size - again(), 0),
    atMost(
      'events around it that came again',
      earlier.filter((id) => arrivals.get(id)!.length > first.get(id)!).length,
      0,
    ),
    atMost('events that the job took besides the window', job.events - window.size, 0),
    atLeast('events that the job tells as delivered', job.delivered, window.size),
    atMost('jobs not complete', job.job_state === 'Complete' && end?.status.job_state === 'Complete' ? 0 : 1, 0),
    noted('ends told', worded(ends.length)),
    noted('events of the window that came again more than once', worded(twice)),
    atMost('events meanwhile that did not come', live.size - waits.length, 0),
    noted('from commit to arrival meanwhile, median', worded(percentile(waits, 0.5), 'ms')),
    noted('the same, 95 of 100', worded(percentile(waits, 0.95), 'ms')),
    noted('the replay took', worded(end ? end.at - asked : NaN, 'ms')),
  ];
}

const written = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace(/\D/g, '');

async function bearerOf({ pen }: World, { port }: Replica): Promise<string> {
  const basic = Buffer.from(`${pen.consumer.key}:${pen.consumer.secret}`).toString('base64');
  const answer = await ask(port, {
    method: 'POST',
    target: '/oauth2/token',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  return (JSON.parse(answer.body) as { access_token: string }).access_token;
}

const call = ({ port }: Replica, bearer: string, method: string, target: string, json?: object) =>
  ask(port, {
    method,
    target,
    headers: { authorization: `Bearer ${bearer}`, ...(json && { 'content-type': 'application/json' }) },
    ...(json && { body: JSON.stringify(json) }),
  });
