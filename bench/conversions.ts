import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pixelIdOf } from '../src/measurement/entities/pixel-id.js';
import { residentOf } from '../scripts/proofs/support/memory.js';
import { ask } from './http.js';
import type { Asked } from './load/task.js';
import type { Server } from './servers.js';
import { copied, type UploadRate } from './uploads.js';
import type { World } from './world.js';

const CONVERSIONS = 500;
const AT_ONCE = 4;

const hash = () => randomBytes(32).toString('hex');

/** Requests of 500 conversions, each of another person and with a `conversion_id` that no other has. */
function makeConversions(pixel: string, tag: string, count: number): Asked[] {
  const conversion_time = new Date(Date.now() - 3_600_000).toISOString();
  return Array.from({ length: count }, () => ({
    method: 'POST',
    target: `/12/measurement/conversions/${pixel}`,
    body: JSON.stringify({
      conversions: Array.from({ length: CONVERSIONS }, () => ({
        conversion_time,
        event_id: tag,
        identifiers: [{ hashed_email: hash() }, { twclid: hash() }],
        value: '19.90',
        number_items: 1,
        conversion_id: hash(),
      })),
    }),
  }));
}

/** All stored conversions once more in the queue: how many the service matches a second. One of 16 finds a click. */
async function matched(connectionString: string): Promise<UploadRate> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const drained = async () => {
    while ((await client.query('SELECT FROM conversions_to_match LIMIT 1')).rowCount! > 0) await pause(50);
  };
  try {
    await client.query(CLICKS);
    await drained();
    const { rowCount } = await client.query(
      'INSERT INTO conversions_to_match SELECT id, "accountId", NULL, now() FROM conversions',
    );
    const begun = performance.now();
    await drained();
    return { name: 'matched', perSecond: rowCount! / ((performance.now() - begun) / 1_000) };
  } finally {
    await client.end();
  }
}

const CLICKS = `INSERT INTO engagements ("accountId", id, "userId", "at", "isClick", "lineItemId", placement, "promotedId", "promotedKind",
    "audienceId", currency, "isForWebsite", "twclidHash")
  SELECT c."accountId", c.id, c.id, c."convertedAt" - interval '1 hour', true, 'l', 'ALL_ON_PLATFORM', 'p', 'PROMOTED_POST', '', 'EUR', true,
    substring(i FROM 2) FROM conversions c CROSS JOIN unnest(c.identifiers) i WHERE get_byte(i, 0) = 2 AND get_byte(i, 1) < 16`;

/**
 * Conversions a second through the signed endpoint, new ones and the same again, which are duplicates; those
 * that it matches; and the rows that were stored through COPY into an equal table.
 */
export async function measureConversions(
  { written: [account], pen, databaseUrl }: World,
  server: Server,
  requests: number,
): Promise<UploadRate[]> {
  const name = createHash('md5').update('tag').digest('hex');
  const windows = 'click_window=30&view_through_window=1&retargeting_enabled=false';
  const target = `/12/accounts/${account.id}/web_event_tags?name=${name}&type=PURCHASE&${windows}`;
  const made = JSON.parse(await ask(server.port, pen, { method: 'POST', target })) as { data: { id: string } };
  const some = (count: number) => makeConversions(pixelIdOf(account.id), made.data.id, count);
  const send = async (all: readonly Asked[], what: string): Promise<UploadRate> => {
    const waiting = [...all];
    let residentMiB = 0;
    const begun = performance.now();
    const one = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        await ask(server.port, pen, next);
        residentMiB = Math.max(residentMiB, residentOf(server.pid));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    return { name: what, perSecond: (all.length * CONVERSIONS) / ((performance.now() - begun) / 1_000), residentMiB };
  };
  await send(some(20), 'warming up');
  const measured = some(requests);
  const rates = [await send(measured, 'new conversions'), await send(measured, 'the same again')];
  rates.push(await matched(databaseUrl));
  return [...rates, await copied(databaseUrl, 'conversions', 1), await copied(databaseUrl, 'conversions', 2)];
}
