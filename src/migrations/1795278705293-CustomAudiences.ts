import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Custom audiences, and counters that belong to whichever domain counts. */
export class CustomAudiences1795278705293 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "audience_permissions" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "customAudienceId" character varying COLLATE "C" NOT NULL, "grantedAccountId" character varying COLLATE "C" NOT NULL, "permissionLevel" character varying NOT NULL, CONSTRAINT "PK_2f381fe607183e3cb6ca7cce414" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "audience_permissions_one_each" ON "audience_permissions"  ("grantedAccountId", "customAudienceId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_b88748440355dcb49ada213d8c" ON "audience_permissions"  ("accountId", "customAudienceId", "id") `,
    );
    await runner.query(
      `CREATE TABLE "custom_audiences" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "description" character varying, "audienceType" character varying NOT NULL, "partnerSource" character varying NOT NULL, "reasonsNotTargetable" character varying array NOT NULL, "audienceSize" integer, CONSTRAINT "PK_3b4c20104ddae999f450b10adca" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "custom_audiences_one_name" ON "custom_audiences"  ("accountId", "name") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_c201a6f4ef48b58e4895736fb7" ON "custom_audiences"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "custom_audiences_live" ON "custom_audiences"  ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_4fd4d0f1a7eb38850fee61b94a" ON "custom_audiences"  ("accountId", "id") `);
    await runner.query(
      `CREATE TABLE "counters" ("ownerId" character varying COLLATE "C" NOT NULL, "kind" character varying COLLATE "C" NOT NULL, "value" integer NOT NULL, "limit" integer NOT NULL, CONSTRAINT "counters_within_limit" CHECK ("value" >= 0), CONSTRAINT "PK_50ca1caeb6cb958f374897304bf" PRIMARY KEY ("ownerId", "kind"))`,
    );
    // Over expressions, so declared by hand: the order of names, and what a name begins with.
    await runner.query(
      `CREATE INDEX "custom_audiences_name" ON "custom_audiences" ("accountId", (lower("name") COLLATE "C"), "id")`,
    );
    await runner.query(`INSERT INTO "counters" ("ownerId", "kind", "value", "limit")
      SELECT "accountId", 'active campaigns', "activeCampaigns", "activeCampaignLimit" FROM "account_counts"`);
    await runner.query(`DROP TABLE "account_counts"`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
