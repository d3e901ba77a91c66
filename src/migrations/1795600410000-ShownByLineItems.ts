import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ShownByLineItems1795600410000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "media_creatives" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "campaignId" character varying COLLATE "C" NOT NULL, "accountMediaId" character varying COLLATE "C" NOT NULL, "creativeType" character varying NOT NULL, "landingUrl" character varying, "paused" boolean NOT NULL DEFAULT false, "approvalStatus" character varying NOT NULL, CONSTRAINT "PK_50d27e32e8cac23902a4121d0df" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "media_creatives_once" ON "media_creatives"  ("lineItemId", "accountMediaId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_2b6c386f809b1b2a76b2d065cd" ON "media_creatives"  ("lineItemId", "id") `);
    await runner.query(`CREATE INDEX "IDX_8960e78b30ebc7c028925cffad" ON "media_creatives"  ("campaignId", "id") `);
    await runner.query(
      `CREATE INDEX "IDX_7fe303aed4ea910a6a6b5bc89e" ON "media_creatives"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "media_creatives_live" ON "media_creatives"  ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_21687f07a6a680dd8c3dc1ffcc" ON "media_creatives"  ("accountId", "id") `);
    await runner.query(
      `CREATE TABLE "preroll_call_to_actions" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "callToAction" character varying NOT NULL, "callToActionUrl" character varying NOT NULL, CONSTRAINT "PK_e907abcae5867a58e6dfc743d4d" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "preroll_call_to_actions_one" ON "preroll_call_to_actions"  ("lineItemId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_c1190c248db4d3f44ec9c4c7e5" ON "preroll_call_to_actions"  ("lineItemId", "id") `,
    );
    await runner.query(
      `CREATE INDEX "IDX_9bd18556aee42570dc73ac9336" ON "preroll_call_to_actions"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "preroll_call_to_actions_live" ON "preroll_call_to_actions"  ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_03c3a984d5a8bb06a72e5c9548" ON "preroll_call_to_actions"  ("accountId", "id") `,
    );
    await runner.query(
      `CREATE TABLE "promoted_accounts" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "paused" boolean NOT NULL DEFAULT false, "approvalStatus" character varying NOT NULL, CONSTRAINT "PK_25572155596f22393cee6b07c8a" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "promoted_accounts_once" ON "promoted_accounts"  ("lineItemId", "userId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_eb0d1f7231ad7c11cdf3ac92f9" ON "promoted_accounts"  ("lineItemId", "id") `);
    await runner.query(
      `CREATE INDEX "IDX_30201b09e679693a52cc92147b" ON "promoted_accounts"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "promoted_accounts_live" ON "promoted_accounts"  ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_f47a4f45b72b5b92b90d5a9bce" ON "promoted_accounts"  ("accountId", "id") `);
    await runner.query(
      `CREATE TABLE "scheduled_promoted_posts" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "scheduledPostId" character varying COLLATE "C" NOT NULL, "callerId" character varying COLLATE "C" NOT NULL, "postId" character varying COLLATE "C", "failure" character varying, CONSTRAINT "PK_97549736b347dc3d3ecb698e34d" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "scheduled_promoted_posts_waiting" ON "scheduled_promoted_posts"  ("scheduledPostId", "id") WHERE "postId" IS NULL AND "failure" IS NULL AND "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "scheduled_promoted_posts_once" ON "scheduled_promoted_posts"  ("lineItemId", "scheduledPostId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_6fbd8d91fa989eee3bc568a160" ON "scheduled_promoted_posts"  ("lineItemId", "id") `,
    );
    await runner.query(
      `CREATE INDEX "IDX_3b903b4af0c9bb56fc59d4d670" ON "scheduled_promoted_posts"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "scheduled_promoted_posts_live" ON "scheduled_promoted_posts"  ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_22e837ef1e2833f1b371433cb6" ON "scheduled_promoted_posts"  ("accountId", "id") `,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."IDX_22e837ef1e2833f1b371433cb6"`);
    await runner.query(`DROP INDEX "public"."scheduled_promoted_posts_live"`);
    await runner.query(`DROP INDEX "public"."IDX_3b903b4af0c9bb56fc59d4d670"`);
    await runner.query(`DROP INDEX "public"."IDX_6fbd8d91fa989eee3bc568a160"`);
    await runner.query(`DROP INDEX "public"."scheduled_promoted_posts_once"`);
    await runner.query(`DROP INDEX "public"."scheduled_promoted_posts_waiting"`);
    await runner.query(`DROP TABLE "scheduled_promoted_posts"`);
    await runner.query(`DROP INDEX "public"."IDX_f47a4f45b72b5b92b90d5a9bce"`);
    await runner.query(`DROP INDEX "public"."promoted_accounts_live"`);
    await runner.query(`DROP INDEX "public"."IDX_30201b09e679693a52cc92147b"`);
    await runner.query(`DROP INDEX "public"."IDX_eb0d1f7231ad7c11cdf3ac92f9"`);
    await runner.query(`DROP INDEX "public"."promoted_accounts_once"`);
    await runner.query(`DROP TABLE "promoted_accounts"`);
    await runner.query(`DROP INDEX "public"."IDX_03c3a984d5a8bb06a72e5c9548"`);
    await runner.query(`DROP INDEX "public"."preroll_call_to_actions_live"`);
    await runner.query(`DROP INDEX "public"."IDX_9bd18556aee42570dc73ac9336"`);
    await runner.query(`DROP INDEX "public"."IDX_c1190c248db4d3f44ec9c4c7e5"`);
    await runner.query(`DROP INDEX "public"."preroll_call_to_actions_one"`);
    await runner.query(`DROP TABLE "preroll_call_to_actions"`);
    await runner.query(`DROP INDEX "public"."IDX_21687f07a6a680dd8c3dc1ffcc"`);
    await runner.query(`DROP INDEX "public"."media_creatives_live"`);
    await runner.query(`DROP INDEX "public"."IDX_7fe303aed4ea910a6a6b5bc89e"`);
    await runner.query(`DROP INDEX "public"."IDX_8960e78b30ebc7c028925cffad"`);
    await runner.query(`DROP INDEX "public"."IDX_2b6c386f809b1b2a76b2d065cd"`);
    await runner.query(`DROP INDEX "public"."media_creatives_once"`);
    await runner.query(`DROP TABLE "media_creatives"`);
  }
}
