import pg from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { locationOf } from '../src/audiences/locations/countries.js';
import { readConfig } from '../src/config/config.js';
import { openService } from '../src/service.js';
import type { AskedStatistics } from '../src/statistics/account-statistics/statistics-reader.service.js';
import { StatisticsReader } from '../src/statistics/account-statistics/statistics-reader.service.js';
import { inSeconds } from '../src/common/time/in-seconds.js';
import { DeliveryRollups } from '../src/statistics/facts/delivery-rollups.service.js';
import { ZONE, DAYS, type Delivery, type DeliveringAccount } from './statistics-world.js';
import { dice } from './dice.js';
import { ask } from './http.js';
import { median, percentile } from './statistics.js';
import type { World } from './world.js';

/** What is asked in one turn, of us and of PostgreSQL. */
interface Turn {
  ours: () => Promise<unknown>;
  reference: pg.QueryConfig;
}

/** A case; each turn asks about other entities. */
export interface StatisticsCase {
  name: string;
  turn: () => Turn;
  /** Whether this process does our part. */
  isOwn?: true;
}

/** The times of a case in milliseconds, and those of a hand-written statement for the same rows. */
export interface StatisticsTimes {
  name: string;
  p50: number;
  p95: number;
  reference50: number;
  reference95: number;
  ratio: number;
  /** The median of the processor time of the process that reads; only if it is this one. */
  cpu50?: number;
}

const ENTITIES = 20;
const WARM_UP = 10;
const WEEK = 7;

/** Asks about a random part of the delivery each time: first us, then the reference, or the other way round. */
export async function measureStatistics(
  world: World,
  delivery: Delivery,
  port: number,
  turns: number,
  report: (times: StatisticsTimes) => void,
): Promise<void> {
  const environment = { ...world.environment, BASE_URL: 'http://127.0.0.1', LOG_LEVEL: 'error', ROLE: 'api' };
  const service = await openService(readConfig(environment));
  const client = new pg.Client({ connectionString: world.databaseUrl, options: '-c TimeZone=UTC' });
  await client.connect();
  try {
    const reader = service.app.get(StatisticsReader);
    for (const each of [
      ...readerCases(reader, service.app.get(DataSource).manager, delivery),
      ...httpCases(world, delivery, port),
    ])
      report(await measured(client, each, turns));
    report(await rollUps(service.app.get(DeliveryRollups), client, delivery));
  } finally {
    await client.end();
    await service.close();
  }
}

async function measured(
  client: pg.Client,
  { name, turn, isOwn }: StatisticsCase,
  turns: number,
): Promise<StatisticsTimes> {
  const times = { ours: [] as number[], reference: [] as number[] };
  const cpu: number[] = [];
  for (let n = -WARM_UP; n < turns; n++) {
    const { ours, reference } = turn();
    const sides = [
      ['ours', ours],
      ['reference', () => client.query(reference)],
    ] as const;
    // whoever reads first finds nothing in memory
    for (const [side, work] of n % 2 === 0 ? sides : [...sides].reverse()) {
      const [begun, cpuBefore] = [performance.now(), process.cpuUsage()];
      await work();
      if (n < 0) continue;
      times[side].push(performance.now() - begun);
      const { user, system } = process.cpuUsage(cpuBefore);
      if (side === 'ours') cpu.push((user + system) / 1_000);
    }
  }
  return { ...figures(name, times.ours, times.reference), ...(isOwn && { cpu50: median(cpu) }) };
}

const figures = (name: string, ours: number[], reference: number[]): StatisticsTimes => ({
  name,
  p50: median(ours),
  p95: percentile(ours, 0.95),
  reference50: median(reference),
  reference95: percentile(reference, 0.95),
  ratio: median(ours) / median(reference),
});

const DRAW = dice();

/** Some of these, each once. */
function some<T>(all: readonly T[], count: number): T[] {
  const left = [...all];
  return Array.from({ length: Math.min(count, all.length) }, () => left.splice(DRAW(left.length), 1)[0]);
}

const anyOf = (accounts: readonly DeliveringAccount[]): DeliveringAccount => accounts[DRAW(accounts.length)];

const COLUMNS = [
  ...[
    'engagements',
    'impressions',
    'retweets',
    'replies',
    'likes',
    'follows',
    'cardEngagements',
    'clicks',
    'appClicks',
  ],
  ...['urlClicks', 'qualifiedImpressions', 'carouselSwipes', 'billedEngagements', 'billedChargeLocalMicro'],
].map((name) => `"${name}"`);
const SUMS = COLUMNS.map((column) => `sum(${column})`).join(', ');

function readerCases(reader: StatisticsReader, db: EntityManager, { accounts, bounds }: Delivery): StatisticsCase[] {
  const [start, end] = [inSeconds(bounds[0]), inSeconds(bounds[DAYS])];
  const place = { timezone: ZONE, now: new Date() };
  const asked: Omit<AskedStatistics, 'entity' | 'entity_ids'> = {
    granularity: 'DAY',
    start_time: start,
    end_time: end,
    metric_groups: ['ENGAGEMENT', 'BILLING'],
    placement: 'ALL_ON_PLATFORM',
  };
  /** As a job does it, which writes one entity after the other. */
  const read = async (id: string, params: AskedStatistics) => {
    let numbers = 0;
    const { series } = await reader.stream({ id, db }, params, place);
    for await (const { parts } of series) for (const { counts } of parts) numbers += counts.size;
    if (numbers === 0) throw new Error('nothing was found');
  };
  const items = (name: string, more: Partial<AskedStatistics>, reference: string): StatisticsCase => ({
    name,
    isOwn: true,
    turn: () => {
      const { id, items } = anyOf(accounts);
      const ids = some(items, ENTITIES);
      return {
        ours: () => read(id, { ...asked, entity: 'LINE_ITEM', entity_ids: ids, ...more }),
        reference: { name, text: reference, values: [id, ids, start, end] },
      };
    },
  });
  const cells = `SELECT "lineItemId", start, "promotedId", "audienceId", ${COLUMNS.join(', ')} FROM delivery_days
    WHERE "accountId" = $1 AND "lineItemId" = ANY($2) AND start >= $3 AND start < $4 AND placement = 'ALL_ON_PLATFORM'`;
  const days = `SELECT "lineItemId", start, ${SUMS} FROM delivery_days
    WHERE "accountId" = $1 AND "lineItemId" = ANY($2) AND start >= $3 AND start < $4 AND placement = 'ALL_ON_PLATFORM' GROUP BY 1, 2`;
  return [
    items('20 line items, 90 days, by AGE', { segmentation: { type: 'AGE' } }, cells),
    items('20 line items, 90 days, by METROS', { segmentation: { type: 'METROS', country: locationOf('US') } }, cells),
    items('20 line items, 90 days', {}, days),
    {
      name: '20 campaigns, 90 days, TOTAL',
      isOwn: true,
      turn: () => {
        const { id, campaigns } = anyOf(accounts);
        const ids = some(campaigns, ENTITIES);
        return {
          ours: () => read(id, { ...asked, entity: 'CAMPAIGN', entity_ids: ids, granularity: 'TOTAL' }),
          reference: {
            name: 'campaigns',
            text: `SELECT i."campaignId", ${SUMS} FROM line_items i JOIN delivery_days d ON d."accountId" = $1 AND d."lineItemId" = i.id
              WHERE i."accountId" = $1 AND i."campaignId" = ANY($2) AND d.start >= $3 AND d.start < $4 AND d.placement = 'ALL_ON_PLATFORM' GROUP BY 1`,
            values: [id, ids, start, end],
          },
        };
      },
    },
  ];
}

function httpCases({ pen }: World, { accounts, bounds }: Delivery, port: number): StatisticsCase[] {
  const get = (target: string, query: Record<string, string>) =>
    ask(port, pen, { method: 'GET', target: `${target}?${new URLSearchParams(query).toString()}` });
  return [
    {
      name: 'GET 20 line items, 7 days, HOUR',
      turn: () => {
        const { id, items } = anyOf(accounts);
        const ids = some(items, ENTITIES);
        const first = DRAW(DAYS - WEEK + 1);
        const [start, end] = [inSeconds(bounds[first]), inSeconds(bounds[first + WEEK])];
        return {
          ours: () =>
            get(`/12/stats/accounts/${id}`, {
              ...{ entity: 'LINE_ITEM', entity_ids: ids.join(), start_time: start, end_time: end, granularity: 'HOUR' },
              ...{ metric_groups: 'ENGAGEMENT,BILLING', placement: 'ALL_ON_PLATFORM' },
            }),
          reference: {
            name: 'hours',
            text: `SELECT "lineItemId", hour, ${SUMS} FROM delivery_facts
              WHERE "accountId" = $1 AND "lineItemId" = ANY($2) AND hour >= $3 AND hour < $4 AND placement = 'ALL_ON_PLATFORM' GROUP BY 1, 2`,
            values: [id, ids, start, end],
          },
        };
      },
    },
    {
      name: 'GET active_entities, 90 days',
      turn: () => {
        const { id } = anyOf(accounts);
        const [start, end] = [inSeconds(bounds[0]), inSeconds(bounds[DAYS])];
        return {
          ours: () =>
            get(`/12/stats/accounts/${id}/active_entities`, { entity: 'LINE_ITEM', start_time: start, end_time: end }),
          reference: {
            name: 'active',
            text: `SELECT "lineItemId", min("firstHour"), max("lastHour"), array_agg(DISTINCT placement) FROM delivery_days
              WHERE "accountId" = $1 AND start >= $2 AND start < $3 GROUP BY 1`,
            values: [id, start, end],
          },
        };
      },
    },
  ];
}

/** The roll-up of the last day of each account, some accounts twice; the reference reads its facts. */
async function rollUps(
  rollups: DeliveryRollups,
  client: pg.Client,
  { accounts, bounds }: Delivery,
): Promise<StatisticsTimes> {
  const [ours, reference]: number[][] = [[], []];
  const [start, end] = [new Date(bounds[DAYS - 1]), new Date(bounds[DAYS])];
  for (const { id } of some(accounts, ENTITIES)) {
    await client.query('UPDATE delivery_rollups SET until = $2 WHERE "accountId" = $1', [id, start.toISOString()]);
    const begun = performance.now();
    await rollups.rollUp(id, ZONE, end);
    ours.push(performance.now() - begun);
    const begunAgain = performance.now();
    await client.query(
      `SELECT "lineItemId", "promotedId", ${SUMS} FROM delivery_facts WHERE "accountId" = $1 AND hour >= $2 AND hour < $3 GROUP BY 1, 2`,
      [id, start.toISOString(), end.toISOString()],
    );
    reference.push(performance.now() - begunAgain);
  }
  return figures('roll-up of a day of an account', ours, reference);
}
