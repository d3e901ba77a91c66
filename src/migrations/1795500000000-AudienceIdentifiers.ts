import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AudienceIdentifiers1795500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "audience_identifiers" ("audienceId" character varying COLLATE "C" NOT NULL, "kind" smallint NOT NULL, "hash" bytea NOT NULL, "person" bigint NOT NULL, "first" boolean NOT NULL, "tied" boolean NOT NULL, "effectiveAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "expiresAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "lastDay" integer NOT NULL, "updates" integer NOT NULL, "earlier" integer array, CONSTRAINT "PK_6f2a25c75d16039e4712cf817b1" PRIMARY KEY ("audienceId", "kind", "hash"))`,
    );
    await runner.query(
      `CREATE INDEX "audience_identifiers_tied" ON "audience_identifiers"  ("audienceId", "person") WHERE "tied"`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "public"."audience_identifiers_tied"`);
    await runner.query(`DROP TABLE "audience_identifiers"`);
  }
}
