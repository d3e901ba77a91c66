import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountReader, ActingAccount } from '../../accounts/access/acting-account.js';
import { allows } from '../../accounts/access/permission.js';
import type { Counts, Series, StatisticsEntity } from '../account-statistics/metrics.js';
import { StatisticsReader, type Statistics } from '../account-statistics/statistics-reader.service.js';
import { boundsOf, type TimeContext } from '../account-statistics/statistics-window.rules.js';
import { activityOf } from '../active-entities/active-entities.statements.js';
import { chargedIn, servedAmong } from '../facts/delivered.statements.js';
import { deliveryRangeOf } from '../facts/delivery-range.rules.js';
import { FACT_PLACEMENTS, type FactPlacement } from '../../measurement/entities/conversion-fact.entity.js';
import { labelsOf, UNLABELLED, type EntityLabel } from './entity-labels.js';
import { PAID_STATISTICS_READ } from '../statistics.permissions.js';
import { recentDays, sumOf, type AskedReport, type Report } from './report.js';

/** Number of entities per read when the entities that spent most are looked for. */
const STEP = 1_000;

/** Reads statistics for people: commands and pages. */
@Injectable()
export class StatisticsReports {
  constructor(
    private readonly db: DataSource,
    private readonly reader: StatisticsReader,
  ) {}

  /** The statistics of some entities, or of those that spent most; 404 if the account does not have one that is named. */
  async read({ id }: { id: string }, asked: AskedReport, place: TimeContext): Promise<Report> {
    const account = { id, db: this.db.manager };
    const { ids, more } = asked.ids ? { ids: asked.ids, more: 0 } : await this.mostSpent(account, asked, place);
    const { metrics, series } = await this.sumsOf(account, { ...asked, ids }, place);
    const labels = await labelsOf(account.db, account.id, asked.entity, ids);
    const entities = series.map((each) => ({ ...(labels.get(each.id) ?? UNLABELLED), ...each }));
    return { bounds: boundsOf(asked, place), metrics, entities, more };
  }

  /** What an account paid for in its last days; undefined for a user who may not read it. */
  async paidFor(
    account: ActingAccount,
    days: number,
    asked: Pick<AskedReport, 'entity' | 'ids' | 'limit'>,
  ): Promise<Report | undefined> {
    if (!allows(account.role, PAID_STATISTICS_READ)) return undefined;
    const place = { timezone: account.timezone, now: account.now() };
    return this.read(account, { ...recentDays(days, place), groups: ['ENGAGEMENT', 'BILLING'], ...asked }, place);
  }

  /**
   * What the line items of an account were charged today, in micro-units by one of their columns; undefined for a user who
   * may not read it.
   */
  async chargedToday(
    account: ActingAccount,
    column: 'campaignId' | 'currency' | 'id',
  ): Promise<Map<string, number> | undefined> {
    if (!allows(account.role, PAID_STATISTICS_READ)) return undefined;
    const place = { timezone: account.timezone, now: account.now() };
    const [start, end] = boundsOf(recentDays(1, place), place);
    return chargedIn(account, column, deliveryRangeOf(start, end, place.timezone));
  }

  /** The label of an entity, deleted ones included; undefined if the account does not have it. */
  async find(
    accountId: string,
    entity: StatisticsEntity,
    id: string,
  ): Promise<(EntityLabel & { id: string }) | undefined> {
    const label = (await labelsOf(this.db.manager, accountId, entity, [id])).get(id);
    return label && { id, ...label };
  }

  /** Which of these accounts ever served. */
  served(accountIds: readonly string[]): Promise<Set<string>> {
    return servedAmong(this.db.manager, accountIds);
  }

  /** The active entities that spent most, most first, and the number of the others. */
  private async mostSpent(
    account: AccountReader,
    { entity, limit, ...asked }: AskedReport,
    place: TimeContext,
  ): Promise<{ ids: string[]; more: number }> {
    if (entity === 'ACCOUNT') return { ids: [account.id], more: 0 };
    if (entity === 'ORGANIC_POST') return { ids: [], more: 0 };
    const bounds = boundsOf(asked, place);
    const range = { start: bounds[0], end: bounds.at(-1)! };
    const hours = deliveryRangeOf(range.start, range.end, place.timezone);
    const active = await activityOf(account.db, { accountId: account.id, entity, range: hours }, account);
    const spent: { id: string; charge: number }[] = [];
    for (let from = 0; from < active.length; from += STEP) {
      const ids = active.slice(from, from + STEP).map(({ id }) => id);
      const total = { ...asked, ...inIso(range), granularity: 'TOTAL', segmentation: undefined } as const;
      const { series } = await this.sumsOf(account, { ...total, entity, limit, ids, groups: ['BILLING'] }, place);
      spent.push(...series.map(({ id, parts }) => ({ id, charge: sumOf(parts[0], 'billedChargeLocalMicro') })));
    }
    spent.sort((one, other) => other.charge - one.charge || (one.id < other.id ? -1 : 1));
    const ids = spent.slice(0, limit).map(({ id }) => id);
    return { ids, more: spent.length - ids.length };
  }

  /** The statistics of named entities on one placement or on all of them. */
  private async sumsOf(
    account: AccountReader,
    { ids, groups, placement, ...asked }: AskedReport & { ids: readonly string[] },
    place: TimeContext,
  ): Promise<Pick<Statistics, 'metrics' | 'series'>> {
    const read = (each: FactPlacement) =>
      this.reader.read(account, { ...asked, entity_ids: ids, metric_groups: groups, placement: each }, place);
    const [first, ...others] = await Promise.all((placement ? [placement] : FACT_PLACEMENTS).map(read));
    return { metrics: first.metrics, series: others.reduce((sum, { series }) => added(sum, series), first.series) };
  }
}

const inIso = ({ start, end }: { start: number; end: number }) => ({
  start_time: new Date(start).toISOString(),
  end_time: new Date(end).toISOString(),
});

/** The sums of the same entities on two placements. */
const added = (one: readonly Series[], other: readonly Series[]): Series[] =>
  one.map(({ id, parts }, i) => {
    const sums = new Map(parts.map((part) => [keyOf(part), part]));
    for (const part of other[i].parts) sums.set(keyOf(part), addedParts(sums.get(keyOf(part)), part));
    return { id, parts: [...sums.values()] };
  });

const keyOf = ({ segment }: Counts): string => JSON.stringify(segment);

function addedParts(one: Counts | undefined, other: Counts): Counts {
  if (!one) return other;
  const counts = new Map(one.counts);
  for (const [column, series] of other.counts) {
    const before = counts.get(column);
    counts.set(column, before ? series.map((count, unit) => count + before[unit]) : series);
  }
  return { segment: one.segment, counts };
}
