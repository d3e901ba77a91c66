import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Media, libraries, cards, posts and what becomes one. */
export class Creatives1795400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "account_media" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "mediaKey" character varying COLLATE "C" NOT NULL, "creativeType" character varying NOT NULL, "file" character varying NOT NULL, CONSTRAINT "PK_606e6fdac3fb81519cb2257cb3b" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "account_media_one_of_each" ON "account_media"  ("accountId", "mediaKey") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_045d263a70bd4f45e2c82e0651" ON "account_media"  ("accountId", "creativeType", "id") `,
    );
    await runner.query(
      `CREATE INDEX "IDX_ebe23a68ff10234b7e06fdc012" ON "account_media"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "account_media_live" ON "account_media"  ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_f19749407dc646bb0e67820416" ON "account_media"  ("accountId", "id") `);
    await runner.query(
      `CREATE TABLE "cards" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "kind" character varying COLLATE "C" NOT NULL, "cardType" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, "content" json NOT NULL, "mediaKeys" character varying array NOT NULL, "endsAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_5f3269634705fdff4a9935860fc" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_90ede72a4a1157893ceae157e4" ON "cards"  ("accountId", "kind", "updatedAt", "id") `,
    );
    await runner.query(`CREATE INDEX "cards_live_all" ON "cards"  ("accountId", "id") WHERE "deletedAt" IS NULL`);
    await runner.query(`CREATE INDEX "cards_live" ON "cards"  ("accountId", "kind", "id") WHERE "deletedAt" IS NULL`);
    await runner.query(`CREATE INDEX "IDX_3baf2b494623c4d30c297b728f" ON "cards"  ("accountId", "kind", "id") `);
    await runner.query(
      `CREATE TABLE "draft_posts" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "text" character varying NOT NULL, "cardId" character varying COLLATE "C", "mediaKeys" character varying array NOT NULL, "nullcast" boolean NOT NULL, "name" character varying, CONSTRAINT "PK_f1563d78664b44d9e07e4dd4484" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "IDX_9dd03dbf6e7e8b39da80e246e9" ON "draft_posts"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "draft_posts_live" ON "draft_posts"  ("accountId", "userId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_4c1b8fbbd5a683a167e46d8827" ON "draft_posts"  ("accountId", "userId", "id") `,
    );
    await runner.query(
      `CREATE TABLE "library_media" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "mediaId" character varying COLLATE "C" NOT NULL, "mediaKey" character varying COLLATE "C" NOT NULL, "mediaCategory" character varying NOT NULL, "mediaType" character varying NOT NULL, "name" character varying, "fileName" character varying, "title" character varying, "description" character varying, "terms" text array NOT NULL, "posterMediaKey" character varying COLLATE "C", "posterFile" character varying, "posted" boolean NOT NULL, "file" character varying NOT NULL, "contentType" character varying NOT NULL, "size" bigint NOT NULL, "width" integer NOT NULL, "height" integer NOT NULL, "duration" integer, CONSTRAINT "PK_7124a30074e8da13189750404ec" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "library_media_one_of_each" ON "library_media"  ("accountId", "mediaKey") `,
    );
    await runner.query(
      `CREATE INDEX "IDX_b25d94496c4d24f3e89fa5e358" ON "library_media"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "library_media_by_type" ON "library_media"  ("accountId", "mediaType", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "library_media_live" ON "library_media"  ("accountId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_94a56fe7e1626826571781e39e" ON "library_media"  ("accountId", "id") `);
    await runner.query(
      `CREATE TABLE "media_parts" ("mediaId" character varying COLLATE "C" NOT NULL, "index" integer NOT NULL, "size" integer NOT NULL, "sha256" character varying NOT NULL, CONSTRAINT "PK_8d90f0e97f8d3a2f687b826d214" PRIMARY KEY ("mediaId", "index"))`,
    );
    await runner.query(
      `CREATE TABLE "media" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "ownerId" character varying COLLATE "C" NOT NULL, "additionalOwners" character varying array NOT NULL, "category" character varying, "state" character varying NOT NULL, "failure" character varying, "size" bigint NOT NULL, "sha256" character varying, "file" character varying COLLATE "C", "mediaType" character varying, "contentType" character varying, "width" integer, "height" integer, "duration" integer, "posterFile" character varying COLLATE "C", "posterSize" integer, "posterSha256" character varying, "expiresAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_f4e0fcac36e050de337b670d8bd" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "media_expiring" ON "media"  ("expiresAt", "id") WHERE "expiresAt" IS NOT NULL AND "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "media_poster_file" ON "media"  ("posterFile") WHERE "posterFile" IS NOT NULL`,
    );
    await runner.query(`CREATE UNIQUE INDEX "media_file" ON "media"  ("file") WHERE "file" IS NOT NULL`);
    await runner.query(
      `CREATE TABLE "preview_notifications" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "userId" character varying COLLATE "C" NOT NULL, "accountId" character varying COLLATE "C" NOT NULL, "draftPostId" character varying COLLATE "C" NOT NULL, "seen" boolean NOT NULL, CONSTRAINT "PK_b461f06fdc30cf955ac1815ebfc" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "preview_notifications_live" ON "preview_notifications"  ("userId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE TABLE "post_names" ("accountId" character varying COLLATE "C" NOT NULL, "postId" character varying COLLATE "C" NOT NULL, "name" character varying NOT NULL, CONSTRAINT "PK_33f042dfee93930c0d78614286b" PRIMARY KEY ("accountId", "postId"))`,
    );
    await runner.query(
      `CREATE TABLE "posts" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C", "authorId" character varying COLLATE "C" NOT NULL, "contributorId" character varying COLLATE "C", "text" character varying NOT NULL, "lang" character varying NOT NULL, "entities" json NOT NULL, "nullcast" boolean NOT NULL, "cardId" character varying COLLATE "C", "mediaKeys" character varying array NOT NULL, "conversationSettings" character varying NOT NULL, "inReplyToPostId" character varying COLLATE "C", "inReplyToUserId" character varying COLLATE "C", "conversational" boolean NOT NULL, "videoTitle" character varying, "videoDescription" character varying, "videoCta" character varying, "videoCtaValue" character varying, "digest" character varying COLLATE "C" NOT NULL, CONSTRAINT "PK_2829ac61eff60fcec60d7274b9e" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "posts_not_twice" ON "posts"  ("authorId", "digest") `);
    await runner.query(`CREATE INDEX "IDX_b2663f23bcae6aec72d49b0277" ON "posts"  ("authorId", "updatedAt", "id") `);
    await runner.query(
      `CREATE INDEX "posts_organic" ON "posts"  ("authorId", "id") WHERE NOT "nullcast" AND NOT "conversational" AND "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "posts_nullcast" ON "posts"  ("authorId", "id") WHERE "nullcast" AND NOT "conversational" AND "deletedAt" IS NULL`,
    );
    await runner.query(`CREATE INDEX "posts_of_author" ON "posts"  ("authorId", "id") WHERE "deletedAt" IS NULL`);
    await runner.query(
      `CREATE TABLE "scheduled_posts" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "callerId" character varying COLLATE "C" NOT NULL, "text" character varying NOT NULL, "cardId" character varying COLLATE "C", "mediaKeys" character varying array NOT NULL, "nullcast" boolean NOT NULL, "name" character varying, "scheduledAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "scheduledStatus" character varying NOT NULL, "completedAt" TIMESTAMP(3) WITH TIME ZONE, "postId" character varying COLLATE "C", "failure" character varying, CONSTRAINT "PK_0408d38eae4ccb97d9bbb148da1" PRIMARY KEY ("id"))`,
    );
    await runner.query(
      `CREATE INDEX "scheduled_posts_of_user" ON "scheduled_posts"  ("userId", "scheduledAt") WHERE "scheduledStatus" = 'SCHEDULED' AND "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "scheduled_posts_due" ON "scheduled_posts"  ("scheduledAt", "id") WHERE "scheduledStatus" = 'SCHEDULED' AND "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_3779f1941fd971744d64de4dee" ON "scheduled_posts"  ("accountId", "updatedAt", "id") `,
    );
    await runner.query(
      `CREATE INDEX "scheduled_posts_live" ON "scheduled_posts"  ("accountId", "userId", "id") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "IDX_0923f94eb1b992ba3cb68f2bd1" ON "scheduled_posts"  ("accountId", "userId", "id") `,
    );
    // Over expressions, so declared by hand: orders of names, what a name begins with, and the words of a library.
    await runner.query(`CREATE INDEX "cards_name" ON "cards" ("accountId", "kind", (lower("name") COLLATE "C"), "id")`);
    await runner.query(
      `CREATE INDEX "post_names_name" ON "post_names" ("accountId", (lower("name") COLLATE "C"), "postId")`,
    );
    await runner.query(
      `CREATE INDEX "draft_posts_name" ON "draft_posts" ("accountId", (lower("name") COLLATE "C"), "id")`,
    );
    await runner.query(
      `CREATE INDEX "scheduled_posts_name" ON "scheduled_posts" ("accountId", (lower("name") COLLATE "C"), "id")`,
    );
    await runner.query(
      `CREATE INDEX "library_media_name" ON "library_media" ("accountId", (COALESCE('.' || (lower("name") COLLATE "C"), '') COLLATE "C"), "id")`,
    );
    await runner.query(`CREATE INDEX "library_media_terms" ON "library_media" USING gin ("terms")`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
