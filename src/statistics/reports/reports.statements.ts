import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { DeliveryFact } from '../facts/delivery-fact.entity.js';

/** Which of these accounts have facts. */
export async function servedAmong(db: EntityManager, accountIds: readonly string[]): Promise<Set<string>> {
  const found = await run<{ id: string }>(db, {
    text: `SELECT a.id FROM ${tableOf(db, Account).table} a WHERE a.id = ANY($1)
      AND EXISTS (SELECT FROM ${tableOf(db, DeliveryFact).table} f WHERE f."accountId" = a.id)`,
    values: [accountIds],
  });
  return new Set(found.map(({ id }) => id));
}
