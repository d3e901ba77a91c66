import type { MigrationInterface, QueryRunner } from 'typeorm';

export class PromotedPosts1795600400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "promoted_posts" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "lineItemId" character varying COLLATE "C" NOT NULL, "postId" character varying COLLATE "C" NOT NULL, "sourcePostId" character varying COLLATE "C" NOT NULL, "paused" boolean NOT NULL DEFAULT false, "approvalStatus" character varying NOT NULL, CONSTRAINT "PK_596a08066bc7416cd6d723c8764" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "promoted_posts_asked_once" ON "promoted_posts"  ("lineItemId", "sourcePostId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "promoted_posts_once" ON "promoted_posts"  ("lineItemId", "postId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_12ddae6648f7e162263be255c0" ON "promoted_posts"  ("lineItemId", "id") `);
    await runner.query(
      `CREATE INDEX "IDX_d477c9f35b2c9a5c43a850e0a6" ON "promoted_posts"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "promoted_posts_live" ON "promoted_posts"  ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_41d9a95853d812586469594c8e" ON "promoted_posts"  ("accountId", "id") `);
    await runner.query(`ALTER TABLE "posts" ADD "repostOfId" character varying COLLATE "C"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "posts" DROP COLUMN "repostOfId"`);
    await runner.query(`DROP INDEX "public"."IDX_41d9a95853d812586469594c8e"`);
    await runner.query(`DROP INDEX "public"."promoted_posts_live"`);
    await runner.query(`DROP INDEX "public"."IDX_d477c9f35b2c9a5c43a850e0a6"`);
    await runner.query(`DROP INDEX "public"."IDX_12ddae6648f7e162263be255c0"`);
    await runner.query(`DROP INDEX "public"."promoted_posts_once"`);
    await runner.query(`DROP INDEX "public"."promoted_posts_asked_once"`);
    await runner.query(`DROP TABLE "promoted_posts"`);
  }
}
