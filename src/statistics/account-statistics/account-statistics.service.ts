import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { allows } from '../../accounts/access/permission.js';
import { Clock } from '../../common/clock.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import { actionNotAllowed, notFound } from '../../common/errors/catalogue.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { PAID_STATISTICS_READ } from '../statistics.permissions.js';
import type { GetStatistics } from './account-statistics.dto.js';
import { sumsOf, type Sums } from './account-statistics.statements.js';
import { columnsOf, metricsOf, type FactColumn, type Metrics, type StatisticsEntity } from './metrics.js';
import { boundsOf, inSeconds, momentOf, windowProblems, type Place } from './statistics-window.rules.js';

/** The maximum time range, in days. */
const MAX_DAYS = 7;

/** The counts of an entity for each unit of time. Columns without any count are absent. */
export interface Series {
  id: string;
  counts: Map<FactColumn, number[]>;
}

export interface Statistics {
  /** The number of units of time. */
  length: number;
  metrics: Metrics;
  series: Series[];
  /** The time range as the response echoes it. */
  startTime: string;
  endTime: string;
}

/** What entities of an account delivered. */
@Injectable()
export class AccountStatisticsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The statistics of some entities, in the order in which they are named. */
  async get(account: ActingAccount, request: Parsed<GetStatistics>): Promise<Statistics> {
    if (request.value('entity') !== 'ORGANIC_POST' && !allows(account.role, PAID_STATISTICS_READ))
      throw actionNotAllowed(`${account.role} has no permission for ${PAID_STATISTICS_READ.name}`);
    const place = { timezone: account.timezone, now: this.clock.nowFor(account) };
    const query = request.paramsUnless(problemsOf(request, place));
    const { entity, entity_ids: ids, placement } = query;
    const metrics = metricsOf(entity, query.metric_groups);
    const bounds = boundsOf(query, place);
    const sums = await sumsOf(
      this.db.manager,
      { accountId: account.id, entity, ids, bounds, placement, columns: columnsOf(metrics) },
      account,
    );
    const known = new Set(sums.map(({ id }) => id));
    refuseAny(ids.filter((id) => !known.has(id)).map((id) => notFound(LABELS[entity], 'entity_ids', id, account.id)));
    const [startTime, endTime] = [query.start_time, query.end_time].map((time) =>
      inSeconds(momentOf(time, account.timezone)),
    );
    return { length: bounds.length - 1, metrics, series: seriesOf(ids, sums, bounds.length - 1), startTime, endTime };
  }
}

/** What 404 calls the entities. */
const LABELS: Record<StatisticsEntity, string> = {
  ACCOUNT: 'Account',
  CAMPAIGN: 'Campaign',
  FUNDING_INSTRUMENT: 'Funding Instrument',
  LINE_ITEM: 'Line Item',
  MEDIA_CREATIVE: 'Media Creative',
  ORGANIC_POST: 'Post',
  PROMOTED_ACCOUNT: 'Promoted Account',
  PROMOTED_POST: 'Promoted Post',
};

/** Validates the time range, as far as it could be read. */
function problemsOf(request: Parsed<GetStatistics>, place: Place): ApiError[] {
  const asked = request.known('start_time', 'end_time', 'granularity');
  return asked ? windowProblems(asked, place, MAX_DAYS) : [];
}

/** The sums as one series for each entity and column. */
function seriesOf(ids: readonly string[], sums: readonly Sums[], length: number): Series[] {
  const byId = new Map(ids.map((id) => [id, new Map<FactColumn, number[]>()]));
  for (const { id, unit, ...columns } of sums) {
    if (unit === null) continue;
    const counts = byId.get(id)!;
    for (const [column, count] of Object.entries(columns) as [FactColumn, number][]) {
      if (count === 0) continue;
      if (!counts.has(column)) counts.set(column, new Array<number>(length).fill(0));
      counts.get(column)![unit] = count;
    }
  }
  return [...byId].map(([id, counts]) => ({ id, counts }));
}
