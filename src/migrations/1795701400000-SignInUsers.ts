import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists of users begin with those who can sign in; a directory has many who cannot. */
export class SignInUsers1795701400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "users_sign_in" ON "users" ("id") WHERE "passwordHash" IS NOT NULL AND "suspendedAt" IS NULL AND "deletedAt" IS NULL`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
