import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The snapshots of sandbox accounts. */
export class Snapshots1796500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "snapshots" ("id" character varying COLLATE "C" NOT NULL, "applicationId" character varying COLLATE "C" NOT NULL, "createdAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "updatedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "name" character varying COLLATE "C" NOT NULL, "accountIds" character varying array NOT NULL, "rows" integer NOT NULL, "bytes" integer NOT NULL, CONSTRAINT "PK_snapshots" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE UNIQUE INDEX "snapshots_one_name" ON "snapshots" ("applicationId", "name")`);
    await runner.query(
      `CREATE TABLE "snapshot_parts" ("snapshotId" character varying COLLATE "C" NOT NULL, "accountId" character varying COLLATE "C" NOT NULL, "table" character varying COLLATE "C" NOT NULL, "columns" character varying array NOT NULL, "content" json NOT NULL, "rows" integer NOT NULL, CONSTRAINT "PK_snapshot_parts" PRIMARY KEY ("snapshotId", "accountId", "table"))`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
