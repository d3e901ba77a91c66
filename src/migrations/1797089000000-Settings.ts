import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What accounts set for their taxes, and their users for themselves. */
export class Settings1797089000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "tax_settings" ("id" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "deletedAt" TIMESTAMP(3) WITH TIME ZONE, "accountId" character varying COLLATE "C" NOT NULL, "billTo" character varying NOT NULL, "businessRelationship" character varying, "invoiceJurisdiction" character varying NOT NULL, "taxCategory" character varying, "taxId" character varying, "taxExemptionId" character varying, "addressName" character varying, "addressFirstName" character varying, "addressLastName" character varying, "addressStreet1" character varying, "addressStreet2" character varying, "addressCity" character varying, "addressRegion" character varying, "addressPostalCode" character varying, "addressCountry" character varying, "addressEmail" character varying, "clientAddressName" character varying, "clientAddressFirstName" character varying, "clientAddressLastName" character varying, "clientAddressStreet1" character varying, "clientAddressStreet2" character varying, "clientAddressCity" character varying, "clientAddressRegion" character varying, "clientAddressPostalCode" character varying, "clientAddressCountry" character varying, "clientAddressEmail" character varying, CONSTRAINT "PK_6418af08591eea971cdeb086622" PRIMARY KEY ("accountId", "id"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "tax_settings_of_account" ON "tax_settings" ("accountId") WHERE "deletedAt" IS NULL`,
    );
    await runner.query(
      `CREATE TABLE "user_settings" ("accountId" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "notificationEmail" character varying, "contactPhone" character varying, "contactPhoneExtension" character varying, "subscribedEmailTypes" character varying array NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_44c03c6d15212468a029186a2af" PRIMARY KEY ("accountId", "userId"))`,
    );
    await runner.query(`CREATE INDEX "IDX_44c03c6d15212468a029186a2a" ON "user_settings" ("userId", "accountId")`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
