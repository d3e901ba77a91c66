import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One plan serves all accounts and authors, and it is made for many: where a few have all rows, a list would otherwise go
 * through the rows of everybody in the order of their ids.
 * A hundred, not more: of an account that seems to have a few rows all would be read where a few are asked by their keys.
 */
export class PlansOfCreatives1795403800000 implements MigrationInterface {
  name = 'PlansOfCreatives1795403800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "account_media" ALTER COLUMN "accountId" SET (n_distinct = 100)`);
    await runner.query(`ALTER TABLE "cards" ALTER COLUMN "accountId" SET (n_distinct = 100)`);
    await runner.query(`ALTER TABLE "draft_posts" ALTER COLUMN "accountId" SET (n_distinct = 100)`);
    await runner.query(`ALTER TABLE "library_media" ALTER COLUMN "accountId" SET (n_distinct = 100)`);
    await runner.query(`ALTER TABLE "post_names" ALTER COLUMN "accountId" SET (n_distinct = 100)`);
    await runner.query(`ALTER TABLE "posts" ALTER COLUMN "authorId" SET (n_distinct = 100)`);
    await runner.query(`ALTER TABLE "scheduled_posts" ALTER COLUMN "accountId" SET (n_distinct = 100)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
