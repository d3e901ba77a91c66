/**
 * kill -9 while campaigns are created: every one that was acknowledged is there exactly once, with its history record and
 * its event, and nothing is there by halves. On PostgreSQL and on the embedded store.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { makeWorld } from '../../dist/bench/world.js';
import { openReadyStore } from '../../dist/src/service.js';
import { readConfig } from '../../dist/src/config.js';
import { demoOf, PORT, POSTGRES, REDIS, send, signed, startService, withFolder } from './service.mjs';

const KILLS = 20;
const PER_SECOND = 100;
const READY_WITHIN_MS = 3_000;

export async function prove() {
  return [...(await onServer()), ...(await onEmbedded())];
}

async function onServer() {
  const world = await makeWorld(POSTGRES, `marquee_bench_kill_${process.pid}`, 0);
  const client = new pg.Client({ connectionString: world.databaseUrl });
  try {
    const environment = {
      ...world.environment,
      BASE_URL: `http://127.0.0.1:${PORT}`,
      REDIS_URL: REDIS,
      REDIS_PREFIX: `marquee_proof_${process.pid}:`,
    };
    const told = await killed('PostgreSQL', environment, () => world);
    await client.connect();
    return [...told.failures, ...(await missing('PostgreSQL', told.acknowledged, (text) => client.query(text)))];
  } finally {
    await client.end();
    await world.drop();
  }
}

function onEmbedded() {
  return withFolder(async (folder) => {
    const environment = { DATA_DIR: folder };
    // The first start makes the store and the demo world in it; that is not what is timed here.
    await (await startService(PORT, environment)).end();
    const told = await killed('embedded store', environment, () => demoOf(folder));
    const store = await openReadyStore(readConfig({ ...environment, NODE_ENV: 'test' }));
    try {
      const ask = async (text) => ({ rows: await store.dataSource.query(text) });
      return [...told.failures, ...(await missing('embedded store', told.acknowledged, ask))];
    } finally {
      await store.close();
    }
  });
}

/** Starts the service, creates campaigns, kills it at some moment, and starts it again. */
async function killed(name, environment, worldOf) {
  const acknowledged = new Map();
  const failures = [];
  const times = [];
  let sent = 0;
  let refused = 0;
  for (let round = 0; round <= KILLS; round++) {
    const service = await startService(PORT, environment);
    if (round > 0) times.push(service.readyMs);
    const { pen, account } = worldOf();
    const underway = new Set();
    const until = performance.now() + (round < KILLS ? 500 + Math.random() * 1_500 : 500);
    while (performance.now() < until) {
      const campaign = `Proof ${round} ${sent++}`;
      const work = create(pen, account, campaign).then(
        ({ status, body }) => {
          if (status === 201) acknowledged.set(campaign, JSON.parse(body).data.id);
          // Right after a crash it may not be known yet what was used before it.
          else if (status === 401 && body.includes('sign again')) refused++;
          else failures.push(`${name}: ${campaign} was answered with ${status}: ${body}`);
        },
        () => undefined, // cut off: whether it was stored is open
      );
      underway.add(work);
      void work.finally(() => underway.delete(work));
      await pause(1_000 / PER_SECOND);
    }
    // The last one ends in peace, once everything is answered.
    if (round === KILLS) await Promise.all(underway);
    await service.end(round < KILLS ? 'SIGKILL' : 'SIGTERM');
    await Promise.all(underway);
  }
  const slowest = Math.max(...times);
  const typical = times.toSorted((one, other) => one - other)[times.length >> 1];
  console.log(
    `${name}: killed ${KILLS} times, ${sent} creates sent, ${acknowledged.size} acknowledged, ${refused} told to sign again; ready again after ${typical.toFixed(0)} ms, at most ${slowest.toFixed(0)} ms`,
  );
  if (slowest > READY_WITHIN_MS) failures.push(`${name}: ready only after ${slowest.toFixed(0)} ms`);
  return { acknowledged, failures };
}

function create(pen, { id, fundingId }, name) {
  const parameters = `funding_instrument_id=${fundingId}&name=${encodeURIComponent(name)}&entity_status=PAUSED&daily_budget_amount_local_micro=5500000`;
  return send(PORT, signed(`127.0.0.1:${PORT}`, pen, 'POST', `/12/accounts/${id}/campaigns?${parameters}`));
}

/** What is not as it should be, of the acknowledged and of all the rest. */
async function missing(name, acknowledged, ask) {
  const { rows } = await ask(`SELECT c.name, c.id, count(DISTINCT h.id)::int AS records, count(e.id)::int AS events
    FROM campaigns c LEFT JOIN account_changes h ON h."entityId" = c.id AND h."changeType" = 'CREATE'
    LEFT JOIN outgoing_events e ON e."changeId" = h.id WHERE c.name LIKE 'Proof %' GROUP BY c.name, c.id`);
  const failures = [];
  const stored = new Map();
  for (const { name: campaign, id, records, events } of rows) {
    if (stored.has(campaign)) failures.push(`${name}: ${campaign} is stored twice`);
    if (records !== 1 || events !== 1)
      failures.push(`${name}: ${campaign} has ${records} records and ${events} events`);
    stored.set(campaign, id);
  }
  for (const [campaign, id] of acknowledged) {
    if (stored.get(campaign) !== id) failures.push(`${name}: ${campaign} was acknowledged as ${id} and is not there`);
  }
  console.log(`${name}: ${stored.size} stored, each once with one record and one event: ${failures.length === 0}`);
  return failures;
}
