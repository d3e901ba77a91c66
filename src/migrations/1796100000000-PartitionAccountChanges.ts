import type { MigrationInterface, QueryRunner } from 'typeorm';
import { partitionTable } from './partition-table.js';

/**
 * The history is partitioned by year, or by quarter where it has a retention. The functions run with the rights of their
 * owner, because the service may not change tables. They change partitions only, for roles that may change the rows
 * anyway. Outside a transaction, so that writes go on; every step can be repeated.
 */
export class PartitionAccountChanges1796100000000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const [{ schema }] = (await runner.query('SELECT quote_ident(current_schema()) AS schema')) as { schema: string }[];
    for (const definition of [COPY_PRIVILEGES, NEW_PARTITION, NAME_INDEXES, ADD_PARTITION, DROP_PARTITION])
      await runner.query(
        definition.replace('%SETTINGS%', `SET search_path = ${schema}, pg_temp SET lock_timeout = '200ms'`),
      );
    // the service calls the other two only
    for (const helper of ['marquee_copy_privileges', 'marquee_new_partition', 'marquee_name_indexes'])
      await runner.query(`REVOKE EXECUTE ON FUNCTION ${helper}(text, text) FROM PUBLIC`);
    await runner.query(
      `SELECT pgboss.create_queue('partitions', '{"policy": "short"}') WHERE NOT EXISTS (SELECT FROM pgboss.queue WHERE name = 'partitions')`,
    );
    await partitionTable(runner, { table: 'account_changes', width: 'quarter', ahead: 1 });
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}

/** Gives everybody the privileges on a table that they have on another one: a dump reads each partition directly. */
const COPY_PRIVILEGES = `CREATE OR REPLACE FUNCTION marquee_copy_privileges(from_table text, to_table text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER %SETTINGS% AS $function$
DECLARE
  entry record;
BEGIN
  FOR entry IN
    SELECT a.privilege_type AS privilege, a.is_grantable,
      CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
    FROM pg_class c CROSS JOIN aclexplode(c.relacl) a WHERE c.oid = to_regclass(quote_ident(from_table)) AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT %s ON TABLE %I TO %s%s', entry.privilege, to_table, entry.grantee,
      CASE WHEN entry.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
  END LOOP;
END $function$`;

/** Creates a table like another one. The name of its primary key begins with PK_, by which the service knows it. */
const NEW_PARTITION = `CREATE OR REPLACE FUNCTION marquee_new_partition(parent_table text, partition_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER %SETTINGS% AS $function$
BEGIN
  IF to_regclass(quote_ident(partition_name)) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE, CONSTRAINT %I PRIMARY KEY (id))',
    partition_name, parent_table, 'PK_' || partition_name);
  PERFORM marquee_copy_privileges(parent_table, partition_name);
END $function$`;

/** Names the indexes of a partition after those of the table, so that plans and errors are readable. */
const NAME_INDEXES = `CREATE OR REPLACE FUNCTION marquee_name_indexes(parent_table text, partition_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER %SETTINGS% AS $function$
DECLARE
  entry record;
BEGIN
  FOR entry IN
    SELECT c.relname AS name, left(p.relname || substr(partition_name, length(parent_table) + 1), 63) AS wanted
    FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_inherits i ON i.inhrelid = c.oid JOIN pg_class p ON p.oid = i.inhparent
    WHERE x.indrelid = to_regclass(quote_ident(partition_name)) AND NOT x.indisprimary
  LOOP
    IF entry.name <> entry.wanted THEN
      EXECUTE format('ALTER INDEX %I RENAME TO %I', entry.name, entry.wanted);
    END IF;
  END LOOP;
END $function$`;

/**
 * Adds a partition. The lock on the table excludes no reads and writes. The exclusive lock on the default partition is
 * short, because its rows are few: with many, the answer is crowded.
 */
const ADD_PARTITION = `CREATE OR REPLACE FUNCTION marquee_add_partition(parent_table text, partition_name text, first_id text, end_id text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER %SETTINGS% AS $function$
DECLARE
  strays CONSTANT text := parent_table || '_default';
  is_crowded boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = to_regclass(quote_ident(parent_table))) THEN
    RAISE EXCEPTION '% is not a partitioned table', parent_table;
  END IF;
  IF NOT has_table_privilege(session_user, quote_ident(parent_table), 'INSERT') THEN
    RAISE insufficient_privilege USING MESSAGE = format('%s may not insert into %s', session_user, parent_table);
  END IF;
  EXECUTE format('LOCK TABLE ONLY %I IN SHARE UPDATE EXCLUSIVE MODE', parent_table);
  IF to_regclass(quote_ident(partition_name)) IS NOT NULL THEN
    RETURN 'exists';
  END IF;
  EXECUTE format('SELECT (SELECT count(*) FROM (SELECT FROM %1$I WHERE id >= $1 AND id < $2 LIMIT 10001) s) > 10000
    OR (SELECT count(*) FROM (SELECT FROM %1$I LIMIT 100001) s) > 100000', strays) INTO is_crowded USING first_id, end_id;
  IF is_crowded THEN
    RETURN 'crowded';
  END IF;
  PERFORM marquee_new_partition(parent_table, partition_name);
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', strays);
  EXECUTE format('WITH moved AS (DELETE FROM %I WHERE id >= $1 AND id < $2 RETURNING *) INSERT INTO %I SELECT * FROM moved',
    strays, partition_name) USING first_id, end_id;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent_table, partition_name, first_id, end_id);
  PERFORM marquee_name_indexes(parent_table, partition_name);
  RETURN 'created';
END $function$`;

/** Drops a partition with its rows. The exclusive lock on the table is short. */
const DROP_PARTITION = `CREATE OR REPLACE FUNCTION marquee_drop_partition(parent_table text, partition_name text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER %SETTINGS% AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass(quote_ident(parent_table)) AND i.inhrelid = to_regclass(quote_ident(partition_name))
      AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT') THEN
    RETURN 'absent';
  END IF;
  IF NOT has_table_privilege(session_user, quote_ident(parent_table), 'DELETE') THEN
    RAISE insufficient_privilege USING MESSAGE = format('%s may not delete from %s', session_user, parent_table);
  END IF;
  EXECUTE format('DROP TABLE %I', partition_name);
  RETURN 'dropped';
END $function$`;
