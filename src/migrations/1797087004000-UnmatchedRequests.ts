import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The journal lists the requests whose path and method no endpoint has. */
export class UnmatchedRequests1797087004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "journaled_requests" ADD "unmatched" boolean NOT NULL DEFAULT false`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
