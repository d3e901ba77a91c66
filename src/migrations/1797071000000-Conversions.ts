import type { MigrationInterface, QueryRunner } from 'typeorm';
import { firstIdOf } from '../common/entity/ids.js';
import { daySuffix, endOfPeriod } from '../common/partitions/periods.js';

/**
 * Tokens of pixels, and conversions, partitioned by the day of their arrival, with the keys by which duplicates are found. The
 * keys are in another table: a unique index of a partitioned table contains the id.
 */
export class Conversions1797071000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [{ now }] = (await runner.query('SELECT now() AS now')) as { now: Date | string }[];
    await runner.query(
      `CREATE TABLE "pixel_tokens" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "hash" bytea NOT NULL, CONSTRAINT "PK_pixel_tokens" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "pixel_tokens_hash" ON "pixel_tokens" ("hash")`);
    await runner.query(
      `CREATE TABLE "conversion_keys" ("accountId" character varying COLLATE "C" NOT NULL, "tagId" character varying COLLATE "C" NOT NULL, "key" bytea NOT NULL, "at" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_conversion_keys" PRIMARY KEY ("accountId", "tagId", "key"))`,
    );
    await runner.query(`CREATE INDEX "conversion_keys_at" ON "conversion_keys" ("at")`);
    await runner.query(
      `CREATE TABLE "conversions" ("id" character varying COLLATE "C" NOT NULL, "accountId" character varying COLLATE "C" NOT NULL, "tagId" character varying COLLATE "C", "eventName" character varying, "convertedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "valueMicro" bigint, "currency" character varying, "numberItems" integer, "conversionId" character varying, "details" json, "identifiers" bytea array NOT NULL, CONSTRAINT "PK_conversions" PRIMARY KEY ("id")) PARTITION BY RANGE ("id")`,
    );
    await runner.query(`CREATE INDEX "conversions_of_account" ON "conversions" ("accountId", "id")`);
    let end = endOfPeriod(new Date(now), 'day');
    await attach(runner, `conversions_before_${daySuffix(end)}`, `FOR VALUES FROM (MINVALUE) TO ('${firstIdOf(end)}')`);
    await attach(runner, 'conversions_default', 'DEFAULT');
    for (let i = 0; i < AHEAD; i++) {
      const [name, from] = [`conversions_${daySuffix(end)}`, firstIdOf(end)];
      end = endOfPeriod(end, 'day');
      await runner.query(`SELECT marquee_add_partition('conversions', $1, $2, $3)`, [name, from, firstIdOf(end)]);
    }
    await runner.query(`SELECT pgboss.create_queue('conversion-keys', '{"policy": "short"}')`);
    await runner.query(`SELECT pgboss.create_queue('remove-conversions', '{"policy": "standard"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}

/** The days after the first partition that get a partition at once. */
const AHEAD = 4;

async function attach(runner: QueryRunner, name: string, bounds: string): Promise<void> {
  await runner.query(`SELECT marquee_new_partition('conversions', $1)`, [name]);
  await runner.query(`ALTER TABLE "conversions" ATTACH PARTITION "${name}" ${bounds}`);
  await runner.query(`SELECT marquee_name_indexes('conversions', $1)`, [name]);
}
