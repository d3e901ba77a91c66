import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The removal of a user continues with these identifiers after it has emptied the directory. */
export class RemovedIdentifiers1797090006000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "removed_identifiers" ("userId" character varying COLLATE "C" NOT NULL, "kind" smallint NOT NULL, "hash" bytea NOT NULL, CONSTRAINT "removed_identifiers_key" PRIMARY KEY ("userId", "kind", "hash"))`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
