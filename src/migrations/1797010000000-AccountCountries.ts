import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The countries of advertisers. A nullable column without a default leaves the rows as they are. */
export class AccountCountries1797010000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "accounts" ADD "countryCode" character varying`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
