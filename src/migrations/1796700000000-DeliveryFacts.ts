import type { MigrationInterface, QueryRunner } from 'typeorm';
import { daySuffix, endOfPeriod } from '../common/partitions/periods.js';

/**
 * The facts from which statistics are summed, partitioned by month. The functions that add partitions take the column
 * that divides the table, and its primary key, from the table: it need not be `id` any more.
 */
export class DeliveryFacts1796700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [{ schema, now }] = (await runner.query('SELECT quote_ident(current_schema()) AS schema, now() AS now')) as {
      schema: string;
      now: Date | string;
    }[];
    for (const definition of [NEW_PARTITION, ADD_PARTITION])
      await runner.query(
        definition.replace('%SETTINGS%', `SET search_path = ${schema}, pg_temp SET lock_timeout = '200ms'`),
      );
    await runner.query(
      `CREATE TABLE "delivery_facts" ("accountId" character varying COLLATE "C" NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "hour" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "placement" character varying NOT NULL, "promotedId" character varying COLLATE "C" NOT NULL, "promotedKind" character varying NOT NULL, "campaignId" character varying COLLATE "C" NOT NULL, "fundingInstrumentId" character varying COLLATE "C" NOT NULL, "postId" character varying COLLATE "C", "impressions" integer NOT NULL DEFAULT '0', "engagements" integer NOT NULL DEFAULT '0', "retweets" integer NOT NULL DEFAULT '0', "replies" integer NOT NULL DEFAULT '0', "likes" integer NOT NULL DEFAULT '0', "follows" integer NOT NULL DEFAULT '0', "cardEngagements" integer NOT NULL DEFAULT '0', "clicks" integer NOT NULL DEFAULT '0', "appClicks" integer NOT NULL DEFAULT '0', "urlClicks" integer NOT NULL DEFAULT '0', "qualifiedImpressions" integer NOT NULL DEFAULT '0', "carouselSwipes" integer NOT NULL DEFAULT '0', "billedEngagements" integer NOT NULL DEFAULT '0', "billedChargeLocalMicro" bigint NOT NULL DEFAULT '0', "videoTotalViews" integer NOT NULL DEFAULT '0', "videoViews25" integer NOT NULL DEFAULT '0', "videoViews50" integer NOT NULL DEFAULT '0', "videoViews75" integer NOT NULL DEFAULT '0', "videoViews100" integer NOT NULL DEFAULT '0', "videoCtaClicks" integer NOT NULL DEFAULT '0', "videoContentStarts" integer NOT NULL DEFAULT '0', "video3s100pctViews" integer NOT NULL DEFAULT '0', "video6sViews" integer NOT NULL DEFAULT '0', "video15sViews" integer NOT NULL DEFAULT '0', "mediaViews" integer NOT NULL DEFAULT '0', "mediaEngagements" integer NOT NULL DEFAULT '0', CONSTRAINT "PK_delivery_facts" PRIMARY KEY ("accountId", "lineItemId", "hour", "placement", "promotedId")) PARTITION BY RANGE ("hour")`,
    );
    await runner.query(`CREATE INDEX "delivery_facts_by_hour" ON "delivery_facts" ("accountId", "hour")`);
    // as for tables that had rows before: the first partition has everything until the end of this month
    let end = endOfPeriod(new Date(now), 'month');
    const first = `delivery_facts_before_${daySuffix(end)}`;
    await attach(runner, first, `FOR VALUES FROM (MINVALUE) TO ('${end.toISOString()}')`);
    await attach(runner, 'delivery_facts_default', 'DEFAULT');
    for (let i = 0; i < AHEAD; i++) {
      const [name, from] = [`delivery_facts_${daySuffix(end)}`, end.toISOString()];
      end = endOfPeriod(end, 'month');
      const values = [name, from, end.toISOString()];
      await runner.query(`SELECT marquee_add_partition('delivery_facts', $1, $2, $3)`, values);
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}

/** The months after the first partition that get a partition at once. */
const AHEAD = 2;

async function attach(runner: QueryRunner, name: string, bounds: string): Promise<void> {
  await runner.query(`SELECT marquee_new_partition('delivery_facts', $1)`, [name]);
  await runner.query(`ALTER TABLE "delivery_facts" ATTACH PARTITION "${name}" ${bounds}`);
  await runner.query(`SELECT marquee_name_indexes('delivery_facts', $1)`, [name]);
}

/** Creates a table like another one, with the same primary key. Its name begins with PK_, by which the service knows it. */
const NEW_PARTITION = `CREATE OR REPLACE FUNCTION marquee_new_partition(parent_table text, partition_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER %SETTINGS% AS $function$
DECLARE
  key text;
BEGIN
  IF to_regclass(quote_ident(partition_name)) IS NOT NULL THEN
    RETURN;
  END IF;
  SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.place) INTO key
  FROM pg_index x CROSS JOIN unnest(x.indkey::int2[]) WITH ORDINALITY k (attnum, place)
    JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum
  WHERE x.indrelid = to_regclass(quote_ident(parent_table)) AND x.indisprimary;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE, CONSTRAINT %I PRIMARY KEY (%s))',
    partition_name, parent_table, 'PK_' || partition_name, key);
  PERFORM marquee_copy_privileges(parent_table, partition_name);
END $function$`;

/**
 * Adds a partition. The lock on the table excludes no reads and writes. The exclusive lock on the default partition is
 * short, because its rows are few: with many, the answer is crowded.
 */
const ADD_PARTITION = `CREATE OR REPLACE FUNCTION marquee_add_partition(parent_table text, partition_name text, first_id text, end_id text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER %SETTINGS% AS $function$
DECLARE
  strays CONSTANT text := parent_table || '_default';
  divided_by text;
  in_range text;
  is_crowded boolean;
BEGIN
  SELECT a.attname INTO divided_by
  FROM pg_partitioned_table p JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
  WHERE p.partrelid = to_regclass(quote_ident(parent_table));
  IF divided_by IS NULL THEN
    RAISE EXCEPTION '% is not a partitioned table', parent_table;
  END IF;
  IF NOT has_table_privilege(session_user, quote_ident(parent_table), 'INSERT') THEN
    RAISE insufficient_privilege USING MESSAGE = format('%s may not insert into %s', session_user, parent_table);
  END IF;
  EXECUTE format('LOCK TABLE ONLY %I IN SHARE UPDATE EXCLUSIVE MODE', parent_table);
  IF to_regclass(quote_ident(partition_name)) IS NOT NULL THEN
    RETURN 'exists';
  END IF;
  in_range := format('%1$I >= %2$L AND %1$I < %3$L', divided_by, first_id, end_id);
  EXECUTE format('SELECT (SELECT count(*) FROM (SELECT FROM %1$I WHERE %2$s LIMIT 10001) s) > 10000
    OR (SELECT count(*) FROM (SELECT FROM %1$I LIMIT 100001) s) > 100000', strays, in_range) INTO is_crowded;
  IF is_crowded THEN
    RETURN 'crowded';
  END IF;
  PERFORM marquee_new_partition(parent_table, partition_name);
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', strays);
  EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %s RETURNING *) INSERT INTO %I SELECT * FROM moved',
    strays, in_range, partition_name);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent_table, partition_name, first_id, end_id);
  PERFORM marquee_name_indexes(parent_table, partition_name);
  RETURN 'created';
END $function$`;
