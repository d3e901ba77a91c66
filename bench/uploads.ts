import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { longestBlockMs } from './blocked.js';
import { ask } from './http.js';
import type { Asked } from './load/task.js';
import type { Server } from './servers.js';
import { residentOf } from '../scripts/proofs/support/memory.js';
import { idOf } from './cases.js';
import { query, type World } from './world.js';

const OPERATIONS = 2_500;
/** Uploads under way at a time, each to an audience of its own. */
const AT_ONCE = 4;
const READ_EVERY_MS = 20;

export interface UploadRate {
  name: string;
  perSecond: number;
  /** Of reads by others meanwhile, in milliseconds. */
  readP99?: number;
  /** The most memory that the service had meanwhile. */
  residentMiB?: number;
  /** The longest time in milliseconds in which it did nothing else. */
  blockedMs?: number;
}

/** Requests of 2,500 operations, each an Update of one person by one identifier that nobody else has. */
function makeUploads(accountId: string, audiences: string[], count: number): Asked[] {
  return Array.from({ length: count }, (_, n) => ({
    method: 'POST',
    target: `/12/accounts/${accountId}/custom_audiences/${audiences[n % audiences.length]}/users`,
    body: JSON.stringify(
      Array.from({ length: OPERATIONS }, () => ({
        operation_type: 'Update',
        params: { users: [{ email: [randomBytes(32).toString('hex')] }] },
      })),
    ),
  }));
}

/**
 * Users a second through the signed endpoint, new ones and the same again, beside reads of another account; and the same rows
 * through COPY into an equal table, which is as fast as the database takes them.
 */
export async function measureUploads(
  { account, written, pen, databaseUrl }: World,
  server: Server,
  uploads: number,
): Promise<UploadRate[]> {
  const audiences: string[] = [];
  for (let n = 0; n < AT_ONCE; n++) {
    const target = `/12/accounts/${written[0].id}/custom_audiences?name=${createHash('md5').update(`${n}`).digest('hex')}`;
    const made = JSON.parse(await ask(server.port, pen, { method: 'POST', target })) as { data: { id: string } };
    audiences.push(made.data.id);
  }
  const send = async (requests: readonly Asked[], name: string): Promise<UploadRate> => {
    const waiting = [...requests];
    const reads: number[] = [];
    let max = 0;
    let isDone = false;
    const reading = (async () => {
      for (let n = 1; !isDone; n++) {
        const begun = performance.now();
        const target = `/12/accounts/${account.id}/campaigns/${idOf((n % 900) + 1)}`;
        await ask(server.port, pen, { method: 'GET', target });
        reads.push(performance.now() - begun);
        max = Math.max(max, residentOf(server.pid));
        await pause(READ_EVERY_MS);
      }
    })();
    await longestBlockMs(server.port);
    const begun = performance.now();
    const one = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await ask(server.port, pen, next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    const seconds = (performance.now() - begun) / 1_000;
    isDone = true;
    await reading;
    const blockedMs = await longestBlockMs(server.port);
    reads.sort((a, b) => a - b);
    return {
      name,
      perSecond: (requests.length * OPERATIONS) / seconds,
      readP99: reads[Math.ceil(reads.length * 0.99) - 1],
      residentMiB: max,
      blockedMs,
    };
  };
  // for the compiler, and for pages that a table gets when it is used first
  await send(makeUploads(written[0].id, audiences, 20), 'warming up');
  const requests = makeUploads(written[0].id, audiences, uploads);
  const rates = [await send(requests, 'new users'), await send(requests, 'the same users again')];
  const table = 'audience_identifiers';
  return [...rates, await copied(databaseUrl, table, 1), await copied(databaseUrl, table, 2)];
}

/** All rows of the table into an empty one like it, over so many connections. */
export async function copied(databaseUrl: string, from: string, sessions: number): Promise<UploadRate> {
  const table = `copied_${from}_${sessions}`;
  await query(databaseUrl, `CREATE TABLE ${table} (LIKE ${from} INCLUDING ALL)`);
  await query(databaseUrl, 'CHECKPOINT');
  const clients = await Promise.all(Array.from({ length: sessions + 1 }, () => connected(databaseUrl)));
  const text = Buffer.concat(await toArray(clients[0].query(copyTo(`COPY (SELECT * FROM ${from}) TO STDOUT`))));
  const shares = shared(text, sessions);
  const begun = performance.now();
  await Promise.all(
    clients
      .slice(1)
      .map((client, n) => pipeline(Readable.from([shares[n]]), client.query(copyFrom(`COPY ${table} FROM STDIN`)))),
  );
  const seconds = (performance.now() - begun) / 1_000;
  const {
    rows: [{ count }],
  } = await clients[0].query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  await Promise.all(clients.map((client) => client.end()));
  return { name: `COPY, ${sessions} session${sessions > 1 ? 's' : ''}`, perSecond: count / seconds };
}

/** A text in so many parts of about the same size, each of whole lines. */
function shared(text: Buffer, parts: number): Buffer[] {
  const ends = Array.from({ length: parts }, (_, n) =>
    n === parts - 1 ? text.length : text.indexOf('\n', Math.floor((text.length * (n + 1)) / parts)) + 1,
  );
  return ends.map((end, n) => text.subarray(n === 0 ? 0 : ends[n - 1], end));
}

const toArray = (stream: Readable): Promise<Buffer[]> => stream.toArray() as Promise<Buffer[]>;

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}
