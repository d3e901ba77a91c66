import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The responses to requests with an Idempotency-Key. */
export class IdempotentRequests1796250000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "idempotent_requests" ("id" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C", "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "fingerprint" character varying COLLATE "C" NOT NULL, "status" integer NOT NULL, "sealedBody" character varying, CONSTRAINT "PK_idempotent_requests" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "idempotent_requests_by_time" ON "idempotent_requests" ("createdAt")`);
    await runner.query(`CREATE INDEX "idempotent_requests_of_user" ON "idempotent_requests" ("userId")`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
