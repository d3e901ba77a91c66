import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLock } from '../common/db/short-lock.js';

/** The tables whose rows belong to one account. */
const TABLES = [
  'account_apps',
  'account_media',
  'campaigns',
  'cards',
  'custom_audiences',
  'do_not_reach_lists',
  'draft_posts',
  'funding_instruments',
  'library_media',
  'line_item_curated_categories',
  'line_items',
  'media_creatives',
  'preroll_call_to_actions',
  'promotable_users',
  'promoted_accounts',
  'promoted_posts',
  'scheduled_posts',
  'scheduled_promoted_posts',
  'targeting_criteria',
];

/** Unique indexes of rows that are not deleted: table, name and columns after the account. */
const UNIQUE = [
  ['line_item_curated_categories', 'line_item_curated_categories_one', '"lineItemId"'],
  ['media_creatives', 'media_creatives_once', '"lineItemId", "accountMediaId"'],
  ['preroll_call_to_actions', 'preroll_call_to_actions_one', '"lineItemId"'],
  ['promoted_accounts', 'promoted_accounts_once', '"lineItemId", "userId"'],
  ['promoted_posts', 'promoted_posts_asked_once', '"lineItemId", "sourcePostId"'],
  ['promoted_posts', 'promoted_posts_once', '"lineItemId", "postId"'],
  ['scheduled_promoted_posts', 'scheduled_promoted_posts_once', '"lineItemId", "scheduledPostId"'],
];

const ROWS_AT_ONCE = 10_000;

/**
 * Primary keys and unique indexes of rows of an account begin with the account. Outside a transaction, so that writes go
 * on while indexes are built; every step can be repeated. The previous release looks rows up by id alone: it keeps an
 * index for that, `<table>_previous_release`.
 */
export class KeysBeginWithAccount1796000000000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await replaceKey(runner, table, 'id');
    for (const [table, name, columns] of UNIQUE) await replaceUnique(runner, table, name, columns);
    await addAccountToSets(runner);
    await replaceKey(runner, 'targeting_sets', 'lineItemId', 'UNIQUE');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}

/** Makes ("accountId", column) the primary key of a table, in place of the column alone. */
async function replaceKey(runner: QueryRunner, table: string, column: string, unique = ''): Promise<void> {
  const [key] = (await runner.query(
    `SELECT conname AS name, array_length(conkey, 1) AS columns FROM pg_constraint WHERE contype = 'p' AND conrelid = '${table}'::regclass`,
  )) as [{ name: string; columns: number }];
  if (key.columns === 1) {
    await buildIndex(runner, `${unique} INDEX`, `${table}_previous_release`, `"${table}" ("${column}")`);
    await buildIndex(runner, 'UNIQUE INDEX', `${table}_key`, `"${table}" ("accountId", "${column}")`);
    await withShortLock(runner, () =>
      runner.query(
        `ALTER TABLE "${table}" DROP CONSTRAINT "${key.name}", ADD CONSTRAINT "${key.name}" PRIMARY KEY USING INDEX "${table}_key"`,
      ),
    );
  }
  const replaced = (await runner.query(
    `SELECT indexname AS name FROM pg_indexes WHERE schemaname = current_schema() AND tablename = '${table}'
      AND indexdef LIKE 'CREATE INDEX %' AND indexdef LIKE '% USING btree ("accountId", id)'`,
  )) as { name: string }[];
  for (const { name } of replaced) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`);
}

/** Puts the account before the columns of a unique index. The old index serves until the new one is complete. */
async function replaceUnique(runner: QueryRunner, table: string, name: string, columns: string): Promise<void> {
  const [{ done }] = (await runner.query(
    `SELECT indexdef LIKE '%("accountId",%' AS done FROM pg_indexes WHERE schemaname = current_schema() AND indexname = '${name}'`,
  )) as [{ done: boolean }];
  if (done) return;
  const on = `"${table}" ("accountId", ${columns}) WHERE "deletedAt" IS NULL`;
  await buildIndex(runner, 'UNIQUE INDEX', `${name}_new`, on);
  await withShortLock(runner, async () => {
    await runner.query(`DROP INDEX "${name}"`);
    await runner.query(`ALTER INDEX "${name}_new" RENAME TO "${name}"`);
  });
}

async function buildIndex(runner: QueryRunner, kind: string, name: string, on: string): Promise<void> {
  // an interrupted build leaves an invalid index
  await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`);
  await runner.query(`CREATE ${kind.replace('INDEX', 'INDEX CONCURRENTLY')} "${name}" ON ${on}`);
}

/** Adds the account to the revisions of criteria, in batches. A trigger sets it for rows of the previous release. */
async function addAccountToSets(runner: QueryRunner): Promise<void> {
  await withShortLock(runner, () =>
    runner.query(`ALTER TABLE "targeting_sets" ADD COLUMN IF NOT EXISTS "accountId" character varying COLLATE "C"`),
  );
  await runner.query(
    `CREATE OR REPLACE FUNCTION targeting_sets_previous_release() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        SELECT l."accountId" INTO NEW."accountId" FROM line_items l WHERE l.id = NEW."lineItemId";
        RETURN NEW;
      END $$`,
  );
  await withShortLock(runner, () =>
    runner.query(`CREATE OR REPLACE TRIGGER targeting_sets_previous_release BEFORE INSERT ON "targeting_sets"
      FOR EACH ROW WHEN (NEW."accountId" IS NULL) EXECUTE FUNCTION targeting_sets_previous_release()`),
  );
  await runner.query(
    `DELETE FROM "targeting_sets" s WHERE "accountId" IS NULL AND NOT EXISTS (SELECT FROM line_items l WHERE l.id = s."lineItemId")`,
  );
  let found = ROWS_AT_ONCE;
  while (found === ROWS_AT_ONCE) {
    const [, count] = (await runner.query(
      `UPDATE "targeting_sets" s SET "accountId" = l."accountId" FROM line_items l
        WHERE l.id = s."lineItemId" AND s.ctid = ANY(ARRAY(SELECT ctid FROM "targeting_sets" WHERE "accountId" IS NULL LIMIT ${ROWS_AT_ONCE}))`,
    )) as [unknown, number];
    found = count;
  }
  await withShortLock(runner, () =>
    runner.query(`ALTER TABLE "targeting_sets" DROP CONSTRAINT IF EXISTS targeting_sets_account,
      ADD CONSTRAINT targeting_sets_account CHECK ("accountId" IS NOT NULL) NOT VALID`),
  );
  await runner.query(`ALTER TABLE "targeting_sets" VALIDATE CONSTRAINT targeting_sets_account`);
  await withShortLock(runner, () =>
    runner.query(
      `ALTER TABLE "targeting_sets" ALTER COLUMN "accountId" SET NOT NULL, DROP CONSTRAINT targeting_sets_account`,
    ),
  );
}
