import type { MigrationInterface, QueryRunner } from 'typeorm';

export class InitialSchema1795226646165 implements MigrationInterface {
  /** The name under which existing databases have recorded it. */
  name = 'FirstRoad1795226646165';

  /** Nonces are unlogged, names are indexed without case, and the planner is told of many accounts: TypeORM can declare none of it, so it is written here by hand. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "account_memberships" ("accountId" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "role" character varying NOT NULL, "postComposer" boolean NOT NULL DEFAULT true, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_87dc3a0f6a8eb7a4c7e5a689d81" PRIMARY KEY ("accountId", "userId"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_87dc3a0f6a8eb7a4c7e5a689d8" ON "account_memberships"  ("userId", "accountId") `,
    );
    await runner.query(
      `CREATE TABLE "account_counts" ("accountId" character varying COLLATE "C" NOT NULL, "activeCampaigns" integer NOT NULL DEFAULT '0', "activeCampaignLimit" integer NOT NULL DEFAULT '200', CONSTRAINT "account_counts_active_campaigns" CHECK ("activeCampaigns" >= 0), CONSTRAINT "PK_f5f681ad5f7b71870910c74a916" PRIMARY KEY ("accountId"))`,
    );
    await runner.query(
      `CREATE TABLE "accounts" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "environment" character varying NOT NULL, "businessId" character varying COLLATE "C", "name" character varying NOT NULL, "timezone" character varying NOT NULL, "timezoneSwitchAt" TIMESTAMP(3) WITH TIME ZONE, "industryType" character varying NOT NULL DEFAULT 'OTHER', "approvalStatus" character varying NOT NULL DEFAULT 'ACCEPTED', "features" character varying array NOT NULL DEFAULT '{}', CONSTRAINT "PK_5a7a02c20412299d198e097a8fe" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE TABLE "businesses" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "name" character varying NOT NULL, CONSTRAINT "PK_bc1bf63498dd2368ce3dc8686e8" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE TABLE "account_changes" ("id" character varying COLLATE "C" NOT NULL, "accountId" character varying COLLATE "C" NOT NULL, "entityType" character varying COLLATE "C" NOT NULL, "entityId" character varying COLLATE "C" NOT NULL, "changeType" character varying NOT NULL, "changeTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "platform" character varying NOT NULL, "changes" json NOT NULL, "entityData" json NOT NULL, CONSTRAINT "PK_a653dacb3fa914a28f5b00ee0fd" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_ed2bbfca4f31ab04c048acf71c" ON "account_changes"  ("accountId", "entityType", "entityId", "id") `,
    );
    await runner.query(
      `CREATE TABLE "promotable_users" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "promotableUserType" character varying NOT NULL, CONSTRAINT "PK_d3be10326173bd523843da8daf2" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "promotable_users_one_full" ON "promotable_users"  ("accountId") WHERE "promotableUserType" = 'FULL' AND "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "IDX_8d005ef2db22672f6362c50443" ON "promotable_users"  ("accountId", "userId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_19b8d7e20729d5b6561d93139d" ON "promotable_users"  ("accountId", "id") `);
    await runner.query(
      `CREATE TABLE "access_tokens" ("id" character varying COLLATE "C" NOT NULL, "lookup" character varying COLLATE "C" NOT NULL, "sealedToken" character varying NOT NULL, "sealedSecret" character varying NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "applicationId" character varying COLLATE "C" NOT NULL, "accessLevel" character varying NOT NULL, "source" character varying NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "revokedAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_65140f59763ff994a0252488166" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "IDX_2957d45f0712445bf3a9a73f96" ON "access_tokens"  ("lookup") `);
    await runner.query(`CREATE INDEX "IDX_b53655edeb58b30eea57a4320b" ON "access_tokens"  ("applicationId") `);
    await runner.query(
      `CREATE INDEX "IDX_8abf1f439d73eeeaca1f5411dd" ON "access_tokens"  ("userId", "applicationId") `,
    );
    await runner.query(
      `CREATE TABLE "applications" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "name" character varying NOT NULL, "ownerId" character varying COLLATE "C" NOT NULL, "consumerKey" character varying NOT NULL, "sealedSecret" character varying NOT NULL, "accessLevel" character varying NOT NULL DEFAULT 'write', "callbacks" character varying array NOT NULL DEFAULT '{}', "signIn" boolean NOT NULL DEFAULT false, "desktop" boolean NOT NULL DEFAULT false, "adsAccess" boolean NOT NULL DEFAULT true, CONSTRAINT "PK_938c0a27255637bde919591888f" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "IDX_4356c299e24df3846dedcd00d8" ON "applications"  ("consumerKey") `);
    await runner.query(
      `CREATE TABLE "users" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "username" character varying NOT NULL, "name" character varying NOT NULL, "passwordHash" character varying, "suspendedAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_a3ffb1c0c8416b9fc6f907b7433" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE TABLE "vault_keys" ("id" character varying NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_64ef6bdc10dbbb976a16730007e" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE TABLE "nonce_epochs" ("one" boolean NOT NULL, "epoch" integer NOT NULL, "beganAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "memory" character varying NOT NULL, "generation" character varying NOT NULL, CONSTRAINT "PK_4101d92402114d5352586df1ee6" PRIMARY KEY ("one"))`,
    );
    await runner.query(
      `CREATE TABLE "replicas" ("id" character varying COLLATE "C" NOT NULL, "seenAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "nonceEpoch" integer NOT NULL, "redisSince" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_6587a2c44763909278f24ae9357" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNLOGGED TABLE "used_nonces" ("digest" character varying COLLATE "C" NOT NULL, "expiresAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_5c77aaa96436629c8ed76d16943" PRIMARY KEY ("digest"))`,
    );
    await runner.query(`CREATE INDEX "IDX_used_nonces_expiresAt" ON "used_nonces"  ("expiresAt") `);
    await runner.query(
      `CREATE UNLOGGED TABLE "nonce_generations" ("one" boolean NOT NULL, "generation" character varying NOT NULL, CONSTRAINT "PK_14d9602186fb0fec6092d57faa5" PRIMARY KEY ("one"))`,
    );
    await runner.query(
      `CREATE TABLE "carried_nonces" ("digest" character varying COLLATE "C" NOT NULL, "expiresAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_375add74b0278477387191c9098" PRIMARY KEY ("digest"))`,
    );
    await runner.query(`CREATE INDEX "IDX_carried_nonces_expiresAt" ON "carried_nonces"  ("expiresAt") `);
    await runner.query(
      `CREATE TABLE "campaigns" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "fundingInstrumentId" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "currency" character varying NOT NULL, "budgetOptimization" character varying NOT NULL, "dailyBudgetAmountLocalMicro" bigint, "totalBudgetAmountLocalMicro" bigint, "spentLocalMicro" bigint NOT NULL DEFAULT '0', "standardDelivery" boolean, "purchaseOrderNumber" character varying, "durationInDays" integer, "frequencyCap" integer, "entityStatus" character varying NOT NULL, "startTime" TIMESTAMP(3) WITH TIME ZONE, "endTime" TIMESTAMP(3) WITH TIME ZONE, "complete" boolean NOT NULL DEFAULT false, CONSTRAINT "PK_831e3fcd4fc45b4e4c3f57a9ee4" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_396a093c7d68535041907e23bb" ON "campaigns"  ("fundingInstrumentId", "id") `);
    await runner.query(
      `CREATE INDEX "IDX_1bb45ba287548b47cf569f176e" ON "campaigns"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "campaigns_live" ON "campaigns"  ("accountId", "id") WHERE "deletedAt" IS NULL AND "entityStatus" <> 'DRAFT'`,
    );
    await runner.query(`CREATE INDEX "IDX_aaab26f8a345c2a6cd6e6f269d" ON "campaigns"  ("accountId", "id") `);
    await runner.query(
      `CREATE TABLE "funding_instruments" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "type" character varying NOT NULL, "description" character varying NOT NULL, "currency" character varying NOT NULL, "startTime" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "endTime" TIMESTAMP(3) WITH TIME ZONE, "creditLimitLocalMicro" bigint, "fundedAmountLocalMicro" bigint, "spentLocalMicro" bigint NOT NULL DEFAULT '0', "ioHeader" character varying, "entityStatus" character varying NOT NULL DEFAULT 'ACTIVE', CONSTRAINT "PK_729198d4210731fe26201593927" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "funding_instruments_live" ON "funding_instruments"  ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_1e31064d83d706f675cb1e6852" ON "funding_instruments"  ("accountId", "id") `);
    await runner.query(
      `CREATE TABLE "outgoing_events" ("id" character varying COLLATE "C" NOT NULL, "accountId" character varying COLLATE "C" NOT NULL, "changeId" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_483790d8e8231e1428c1f245232" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_acb4e8ff0c45d01e345f6f7d26" ON "outgoing_events"  ("accountId", "id") `);
    await runner.query(`CREATE UNIQUE INDEX "users_username" ON "users" (lower("username"))`);
    await runner.query(`CREATE INDEX "campaigns_name" ON "campaigns" ("accountId", (lower("name") COLLATE "C"), "id")`);
    // Plans suit many accounts, however few there are or how large one is: else pages may be read along the primary key.
    await runner.query(`ALTER TABLE "campaigns" ALTER COLUMN "accountId" SET (n_distinct = 10000)`);
    await runner.query(`CREATE INDEX "accounts_name" ON "accounts" ((lower("name") COLLATE "C"), "id")`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
