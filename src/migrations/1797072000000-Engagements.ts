import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Clicks and views of users, the sums of the conversions that are attributed to them, and the queues of their upkeep. */
export class Engagements1797072000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "engagements" ("accountId" character varying COLLATE "C" NOT NULL, "id" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "at" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "isClick" boolean NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "placement" character varying NOT NULL, "promotedId" character varying COLLATE "C" NOT NULL, "promotedKind" character varying NOT NULL, "audienceId" character varying COLLATE "C" NOT NULL, "currency" character varying NOT NULL, "isForWebsite" boolean NOT NULL, "tagId" character varying COLLATE "C", "twclid" character varying, "twclidHash" bytea, "visitorHash" bytea, CONSTRAINT "PK_engagements" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(`CREATE INDEX "engagements_of_user" ON "engagements" ("userId", "accountId", "isClick", "at")`);
    await runner.query(`CREATE INDEX "engagements_by_id" ON "engagements" ("id")`);
    await runner.query(
      `CREATE UNIQUE INDEX "engagements_twclid" ON "engagements" ("accountId", "twclidHash") WHERE "twclidHash" IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX "engagements_visitor" ON "engagements" ("accountId", "visitorHash", "at") WHERE "visitorHash" IS NOT NULL`,
    );
    await runner.query(
      `CREATE TABLE "conversion_facts" ("accountId" character varying COLLATE "C" NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "hour" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "placement" character varying NOT NULL, "promotedId" character varying COLLATE "C" NOT NULL, "audienceId" character varying COLLATE "C" NOT NULL, "tagId" character varying COLLATE "C" NOT NULL, "type" character varying NOT NULL, "isClick" boolean NOT NULL, "promotedKind" character varying NOT NULL, "conversions" integer NOT NULL, "items" bigint NOT NULL, "amount" bigint NOT NULL, "recordedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_conversion_facts" PRIMARY KEY ("accountId", "lineItemId", "hour", "placement", "promotedId", "audienceId", "tagId", "type", "isClick"))`,
    );
    await runner.query(`CREATE INDEX "conversion_facts_recorded" ON "conversion_facts" ("accountId", "recordedAt")`);
    await runner.query(`SELECT pgboss.create_queue('old-engagements', '{"policy": "short"}')`);
    await runner.query(`SELECT pgboss.create_queue('remove-engagements', '{"policy": "standard"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
