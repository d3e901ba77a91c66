import PgBoss from 'pg-boss';
import { run } from '../../../src/common/db/query/statement.js';
import { poolOf } from '../../../src/common/db/query/statement.js';
import type { Database } from '../../../src/common/db/database.js';
import { MIGRATIONS } from '../../../src/migrations/index.js';
import { onEveryStore } from '../db/stores.js';
import { MODEL } from '../db/model.js';

/** All that makes out a schema; whitespace in the text of functions is of no account. */
const CATALOGUE: Record<string, string> = {
  columns: `SELECT table_name, ordinal_position, column_name, data_type, udt_name, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema = 'pgboss' AND table_name !~ '^j[0-9a-f]{56}$' ORDER BY 1, 2`,
  constraints: `SELECT conrelid::regclass::text AS "table", conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
    WHERE connamespace = 'pgboss'::regnamespace AND conrelid::regclass::text !~ '\\.j[0-9a-f]{56}$' ORDER BY 1, 2`,
  indexes: `SELECT tablename, indexname, indexdef FROM pg_indexes
    WHERE schemaname = 'pgboss' AND tablename !~ '^j[0-9a-f]{56}$' ORDER BY 1, 2`,
  functions: `SELECT proname, pg_get_function_identity_arguments(oid) AS arguments, regexp_replace(prosrc, '\\s+', ' ', 'g') AS body
    FROM pg_proc WHERE pronamespace = 'pgboss'::regnamespace ORDER BY 1, 2`,
  types: `SELECT typname, enumlabel FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid
    WHERE typnamespace = 'pgboss'::regnamespace ORDER BY 1, enumsortorder`,
  triggers: `SELECT tgname, tgrelid::regclass::text AS "table" FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
    WHERE relnamespace = 'pgboss'::regnamespace AND NOT tgisinternal ORDER BY 1, 2`,
  version: 'SELECT version FROM pgboss.version',
};

async function catalogueOf(store: Database): Promise<Record<string, object[]>> {
  const found: Record<string, object[]> = {};
  for (const [part, text] of Object.entries(CATALOGUE))
    found[part] = await run(store.dataSource.manager, { text, values: [] });
  return found;
}

onEveryStore(
  'the schema of the job queue',
  (open) => {
    it('is what the installed pg-boss makes', async () => {
      const ours = await catalogueOf(open());
      expect(ours.columns.length).toBeGreaterThan(40);
      expect(ours.functions).toHaveLength(2);
      await open().dataSource.query('DROP SCHEMA pgboss CASCADE');
      const client = await poolOf(open().dataSource).connect();
      await client.query(PgBoss.getConstructionPlans('pgboss'));
      client.release();
      expect(ours).toEqual(await catalogueOf(open()));
    });
  },
  { entities: MODEL.entities, migrations: MIGRATIONS },
);
