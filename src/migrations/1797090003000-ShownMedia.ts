import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../common/db/build-index.js';

/** By which the posts, cards and media creatives of a media item are found, and the promotions of a post. */
const INDEXES: Record<string, string> = {
  posts_media: `"posts" USING gin ("mediaKeys") WITH (fastupdate = off) WHERE "mediaKeys" <> '{}'`,
  posts_card: '"posts" ("cardId") WHERE "cardId" IS NOT NULL',
  cards_media: '"cards" USING gin ("mediaKeys") WITH (fastupdate = off)',
  promoted_posts_of_post: '"promoted_posts" ("postId", "accountId", "id")',
  account_media_by_key: '"account_media" ("mediaKey", "accountId")',
  media_creatives_of_media: '"media_creatives" ("accountMediaId", "accountId")',
};

/** Analytics of media items find what shows them. */
export class ShownMedia1797090003000 implements MigrationInterface {
  // CONCURRENTLY cannot run in a transaction; the release before continues to write.
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES)) await buildIndex(runner, name, definition);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
