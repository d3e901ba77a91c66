import { DataSource } from 'typeorm';
import type { Row } from '../../../src/common/db/query/rows.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { newNumber } from '../../../src/common/entity/ids.js';
import { DeliveryAudience } from '../../../src/statistics/facts/delivery-audience.entity.js';
import { DeliveryFact } from '../../../src/statistics/facts/delivery-fact.entity.js';
import { StatisticsJob } from '../../../src/statistics/jobs/statistics-job.entity.js';
import { world } from '../app.js';

/** A fact of a line item: what is not named was not counted. */
type Fact = Partial<Row<DeliveryFact>> & { hour: string };

/** The columns of facts that are counted. */
const COUNTED = () =>
  world()
    .get(DataSource)
    .getMetadata(DeliveryFact)
    .columns.filter(({ default: initial }) => initial === 0)
    .map(({ propertyName }) => propertyName);

/** What was delivered. */
export const statistics = {
  /** Stores facts of a line item. */
  async facts(
    item: Pick<Row<DeliveryFact>, 'accountId' | 'campaignId' | 'fundingInstrumentId'> & { id: string },
    ...facts: Fact[]
  ): Promise<void> {
    const { accountId, campaignId, fundingInstrumentId, id: lineItemId } = item;
    const nothing = Object.fromEntries(COUNTED().map((name) => [name, 0]));
    const rows = facts.map((fact) => ({
      ...nothing,
      ...{ accountId, campaignId, fundingInstrumentId, lineItemId, postId: null },
      ...{ placement: 'ALL_ON_PLATFORM', promotedKind: 'PROMOTED_POST', promotedId: 'p', audienceId: '' },
      ...fact,
    })) as unknown as Row<DeliveryFact>[];
    await write(world().get(DataSource).manager, [insert(DeliveryFact, rows)]);
  },

  /** Stores jobs that have failed, so that no worker takes them. */
  async failedJobs(accountId: string, count: number, fields: Partial<Row<StatisticsJob>> = {}): Promise<string[]> {
    const now = world().clock.now();
    const at = now.toISOString();
    const jobs = Array.from({ length: count }, (): Row<StatisticsJob> => ({
      ...{ accountId, id: newNumber(now), status: 'FAILED', entity: 'LINE_ITEM', entityIds: ['a1', 'b2'] },
      ...{ startTime: at, endTime: at, granularity: 'DAY', placement: 'TREND', metricGroups: ['MEDIA', 'VIDEO'] },
      ...{ segmentationType: null, country: null, platform: null, timezone: 'UTC', askedAt: at, names: 'marquee' },
      ...{ attempt: 1, folder: null, size: null, sha256: null, expiresAt: null },
      ...{ dueAt: new Date(now.getTime() + 86_400_000).toISOString(), createdAt: at, updatedAt: at },
      ...fields,
    }));
    await write(world().get(DataSource).manager, [insert(StatisticsJob, jobs)]);
    return jobs.map(({ id }) => id);
  },

  /** Stores an audience, which facts name by its id. */
  async deliveryAudience(
    { id: accountId }: { id: string },
    id: string,
    { criteria = [], users = 1_000 }: Partial<Pick<Row<DeliveryAudience>, 'criteria' | 'users'>>,
  ): Promise<void> {
    const row = { accountId, id, criteria, users, estimatedAt: '2026-01-01T00:00:00Z' };
    await write(world().get(DataSource).manager, [insert(DeliveryAudience, [row])]);
  },
};
