import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Clients, grants, codes and tokens of OAuth 2.0. */
export class OAuth2Grants1797086000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "oauth2_grants" ("id" character varying COLLATE "C" NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "applicationId" character varying COLLATE "C" NOT NULL, "scopes" character varying array NOT NULL, "generation" integer NOT NULL DEFAULT '1', "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "approvedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "revokedAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_06be0ff23673f284402cc352d37" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_fdcae489672d990678b8bcf6f5" ON "oauth2_grants"  ("applicationId") `);
    await runner.query(
      `CREATE UNIQUE INDEX "oauth2_grants_one_per_user" ON "oauth2_grants"  ("userId", "applicationId") `,
    );
    await runner.query(
      `CREATE TABLE "oauth2_codes" ("id" character varying COLLATE "C" NOT NULL, "grantId" character varying COLLATE "C" NOT NULL, "generation" integer NOT NULL, "redirectUri" character varying NOT NULL, "scopes" character varying array NOT NULL, "challenge" character varying NOT NULL, "challengeMethod" character varying NOT NULL, "expiresAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "usedAt" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "PK_c80e717836f0f6e47742eeb0163" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_246e2329ae0ac9b6a941bedf7a" ON "oauth2_codes"  ("expiresAt") `);
    await runner.query(`CREATE INDEX "IDX_23e10ba51421ca5c1890ca9a0e" ON "oauth2_codes"  ("grantId") `);
    await runner.query(
      `CREATE TABLE "oauth2_tokens" ("id" character varying COLLATE "C" NOT NULL, "grantId" character varying COLLATE "C" NOT NULL, "generation" integer NOT NULL, "kind" character varying NOT NULL, "scopes" character varying array NOT NULL, "expiresAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "usedAt" TIMESTAMP(3) WITH TIME ZONE, "sealedAnswer" character varying, CONSTRAINT "PK_32570683e5d515faea659c3dbab" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "IDX_5a26e87d780987295b055a6614" ON "oauth2_tokens"  ("expiresAt") `);
    await runner.query(
      `CREATE INDEX "oauth2_tokens_answered" ON "oauth2_tokens"  ("usedAt") WHERE "sealedAnswer" IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX "IDX_ecac98f2b8d2275a6be4b50743" ON "oauth2_tokens"  ("grantId") `);
    await runner.query(`ALTER TABLE "applications" ADD "clientId" character varying COLLATE "C"`);
    await runner.query(`ALTER TABLE "applications" ADD "clientType" character varying`);
    await runner.query(`ALTER TABLE "applications" ADD "clientSecretHash" character varying`);
    await runner.query(`ALTER TABLE "applications" ADD "clientScopes" character varying array NOT NULL DEFAULT '{}'`);
    await runner.query(`CREATE UNIQUE INDEX "IDX_ef68aaf1981791384fda1c2bd7" ON "applications"  ("clientId") `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
