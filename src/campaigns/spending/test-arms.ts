import type { EntityManager } from 'typeorm';
import { rows } from '../../common/db/query/rows.js';
import { AbTest, groupsOf, type Grouped, type TestedEntity, type UserGroup } from '../ab-tests/ab-test.entity.js';
import type { DeliveredHour } from './servable-items.statements.js';

/** The users of an A/B test who see an entity: those whose buckets are at least `from` and below `to`, of 10,000. */
export interface TestArm {
  testId: string;
  from: number;
  to: number;
}

/** The arms of the groups of a test, by the ids of their entities: one after the other. */
export function armsOf(test: Grouped<Pick<UserGroup, 'size' | 'entities'>> & { id: string }): Map<string, TestArm> {
  const arms = new Map<string, TestArm>();
  let to = 0;
  for (const { size, entityIds } of groupsOf(test)) {
    const from = to;
    to += size;
    for (const id of entityIds) arms.set(id, { testId: test.id, from, to });
  }
  return arms;
}

/**
 * The arms of the tests of an account that are live at some time of an hour, by the entities: campaigns and line items. The
 * hours in which a test begins and ends count whole, so that no group exceeds its users.
 */
export async function armsIn(
  db: EntityManager,
  { accountId, start, end }: DeliveredHour,
): Promise<Record<TestedEntity, ReadonlyMap<string, TestArm>>> {
  const tests = await rows(db, AbTest)
    .where('accountId', accountId)
    .whereMoreThan('endTime', start)
    .whereLessThan('startTime', end)
    .getMany();
  const of = (type: TestedEntity) =>
    new Map(tests.filter(({ entityType }) => entityType === type).flatMap((test) => [...armsOf(test)]));
  return { CAMPAIGN: of('CAMPAIGN'), LINE_ITEM: of('LINE_ITEM') };
}
