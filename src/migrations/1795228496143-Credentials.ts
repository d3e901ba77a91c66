import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Credentials1795228496143 implements MigrationInterface {
  /** What flows, sign-ins and bearers need; of each user, application and level flows have one valid pair. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "request_tokens" ("id" character varying COLLATE "C" NOT NULL, "lookup" character varying COLLATE "C" NOT NULL, "sealedToken" character varying NOT NULL, "sealedSecret" character varying NOT NULL, "applicationId" character varying COLLATE "C" NOT NULL, "callback" character varying, "accessLevel" character varying NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "expiresAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "userId" character varying COLLATE "C", "sealedVerifier" character varying, "attempts" integer NOT NULL DEFAULT '0', "endedAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_d4b80f6d440a14f1f0881f93ced" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "IDX_fe67e27530acfc3805875d1ff0" ON "request_tokens"  ("lookup") `);
    await runner.query(`CREATE INDEX "IDX_34071756b247fddc3769397cb9" ON "request_tokens"  ("expiresAt") `);
    await runner.query(
      `CREATE TABLE "bearer_tokens" ("id" character varying COLLATE "C" NOT NULL, "lookup" character varying COLLATE "C" NOT NULL, "sealedToken" character varying NOT NULL, "applicationId" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "revokedAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_fd71c485c726ad6a3e8eae498e6" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "IDX_92439fc45feb06eaa31371d582" ON "bearer_tokens"  ("lookup") `);
    await runner.query(`CREATE INDEX "IDX_6c9dc15488795183001a2c1397" ON "bearer_tokens"  ("revokedAt") `);
    await runner.query(
      `CREATE UNIQUE INDEX "bearer_tokens_one_per_application" ON "bearer_tokens"  ("applicationId") WHERE "revokedAt" IS NULL`,
    );
    await runner.query(
      `CREATE TABLE "sign_in_attempts" ("id" character varying COLLATE "C" NOT NULL, "failures" integer NOT NULL, "blockedUntil" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "triedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_b5b5e9a98dbb74ada205a0084d8" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_959c560d108b35c21b05935e09" ON "sign_in_attempts"  ("triedAt") `);
    await runner.query(
      `CREATE TABLE "sessions" ("id" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "seenAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "expiresAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_3238ef96f18b355b671619111bc" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_57de40bc620f456c7311aa3a1e" ON "sessions"  ("userId") `);
    await runner.query(`CREATE INDEX "IDX_50762206f116cd47d1c3fec396" ON "sessions"  ("expiresAt") `);
    await runner.query(
      `CREATE UNIQUE INDEX "access_tokens_one_of_flow" ON "access_tokens"  ("userId", "applicationId", "accessLevel") WHERE source = 'flow' AND "revokedAt" IS NULL`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
