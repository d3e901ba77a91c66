import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../common/db/build-index.js';

/** The removal of a user, of which namespaces have one, expires the media of that user. */
export class MediaOfOwners1797090005000 implements MigrationInterface {
  // CONCURRENTLY cannot run in a transaction; the release before continues to write.
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, 'media_of_owner', '"media" ("ownerId", "id")');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
