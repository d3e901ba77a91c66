import { DataSource } from 'typeorm';
import type { Row } from '../../../src/common/db/query/rows.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { DeliveryAudience, type AudienceCriterion } from '../../../src/statistics/facts/delivery-audience.entity.js';
import { DeliveryFact } from '../../../src/statistics/facts/delivery-fact.entity.js';
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

  /** Stores an audience, which facts name by its id. */
  async deliveryAudience({ id: accountId }: { id: string }, id: string, criteria: AudienceCriterion[]): Promise<void> {
    const row = { accountId, id, criteria, users: 1_000, estimatedAt: '2026-01-01T00:00:00Z' };
    await write(world().get(DataSource).manager, [insert(DeliveryAudience, [row])]);
  },
};
