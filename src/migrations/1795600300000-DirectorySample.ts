import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A sample of the directory that estimates of audiences are counted over; users there are already are taken into it. */
export class DirectorySample1795600300000 implements MigrationInterface {
  name = 'DirectorySample1795600300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "directory_sample" ("number" integer NOT NULL, "key" bigint NOT NULL, "userId" character varying COLLATE "C" NOT NULL, "activeAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "country" character varying, "language" character varying, "gender" smallint, "ageBucket" smallint, "platforms" smallint NOT NULL, "traits" character varying array NOT NULL, "follows" bigint array NOT NULL, CONSTRAINT "PK_28a79c3d5f0a4d11a6b4fdfbd0e" PRIMARY KEY ("number"))`,
    );
    await runner.query(
      `INSERT INTO "directory_sample" ("number", "key", "userId", "activeAt", "country", "language", "gender", "ageBucket", "platforms", "traits", "follows")
        SELECT d."number", k."key", d."userId", d."activeAt", d."country", d."language", d."gender", d."ageBucket", d."platforms", d."traits", d."follows"
        FROM (SELECT u."number", ('x' || left(md5(u."number"::text), 16))::bit(64)::bigint AS "key" FROM "directory_users" u ORDER BY 2, 1 LIMIT 100000) k
        JOIN "directory_users" d ON d."number" = k."number"`,
    );
    await runner.query(
      `INSERT INTO "counters" ("ownerId", "kind", "value", "limit") SELECT 'directory', 'users', count(*), 2147483647 FROM "directory_users"`,
    );
    await runner.query(`CREATE INDEX "directory_sample_key" ON "directory_sample"  ("key", "number") `);
    await runner.query(`CREATE INDEX "directory_sample_of_user" ON "directory_sample"  ("userId") `);
    await runner.query(
      `CREATE INDEX "directory_sample_traits" ON "directory_sample" USING gin ("traits") WITH (fastupdate = off)`,
    );
    await runner.query(
      `CREATE INDEX "directory_sample_follows" ON "directory_sample" USING gin ("follows") WITH (fastupdate = off)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "directory_sample"`);
    await runner.query(`DELETE FROM "counters" WHERE "ownerId" = 'directory'`);
  }
}
