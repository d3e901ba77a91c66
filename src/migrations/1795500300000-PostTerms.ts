import type { MigrationInterface, QueryRunner } from 'typeorm';
import { termsOf } from '../creatives/post-terms/post-terms.rules.js';

/** As many posts are read and stored at a time. */
const STEP = 1_000;

interface Said {
  id: string;
  text: string;
  ms: number;
}

/**
 * The words of posts are stored beside them, of those too that there are. The indexes are made after these. Whoever
 * changes what a word is has them stored once more, by another migration.
 */
export class PostTerms1795500300000 implements MigrationInterface {
  name = 'PostTerms1795500300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "post_terms" ("at" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "country" character varying COLLATE "C", "postId" character varying COLLATE "C" NOT NULL, "terms" bigint array NOT NULL, CONSTRAINT "PK_3a20301369f1b246641a0036b9c" PRIMARY KEY ("postId"))`,
    );
    await fill(runner);
    await runner.query(`CREATE INDEX "post_terms_at" ON "post_terms"  ("at") `);
    await runner.query(`CREATE INDEX "post_terms_terms" ON "post_terms" USING gin ("terms") WITH (fastupdate = off)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "post_terms"`);
  }
}

async function fill(runner: QueryRunner): Promise<void> {
  let last = '';
  for (;;) {
    const posts = (await runner.query(
      `SELECT id, text, (extract(epoch FROM "createdAt") * 1000)::float8 AS ms FROM posts WHERE id > $1 AND "deletedAt" IS NULL ORDER BY id LIMIT $2`,
      [last, STEP],
    )) as Said[];
    if (posts.length === 0) return;
    const rows = posts.map(({ id, text, ms }) => {
      const at = new Date(ms).toISOString();
      return { at, postId: id, terms: termsOf(text, at) };
    });
    await runner.query(
      `INSERT INTO "post_terms" ("at", "postId", "terms") SELECT "at", "postId", "terms" FROM json_populate_recordset(NULL::"post_terms", $1)`,
      [JSON.stringify(rows)],
    );
    last = posts.at(-1)!.id;
  }
}
