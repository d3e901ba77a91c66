import { hash } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { wordsIn, type Word } from '../common/text/words.js';

/** As many posts are read and stored at a time. */
const STEP = 1_000;

interface Post {
  id: string;
  text: string;
  ms: number;
}

/**
 * Stores the words of posts in a table of their own, including those of existing posts, and then creates its indexes. A
 * change of what counts as a word needs another migration.
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
    )) as Post[];
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

// The terms of a post when this migration was written: what a term is today does not change what it stores.

/** Words so common that a pair of them has a term of its own. */
const USUAL = new Set(
  `a an and are as at be but by do for from have i if in is it it's just me my no not of on or our so that the this to up was we
  what with you your
  auf das der die ein eine es für ich im in ist mit nicht und von zu den sich auch
  al con de del el en es la las lo los me mi no para por que se su un una y
  au avec c'est ce dans des du elle est et il je le les ne on pas pour qui sur tu une vous à
  da do e em não o os um uma che di il non per sono een het van ik op dat`
    .trim()
    .split(/\s+/),
);

const SLOT_MS = 6 * 3_600_000;
/** Separator between words that are not consecutive. */
const BREAK = '0';

/** Every word in order, followed by the pairs of common words. */
function termsOf(text: string, at: string): string[] {
  const slot = Math.floor(Date.parse(at) / SLOT_MS);
  const words = wordsIn(text);
  const terms: string[] = [];
  for (const word of words) {
    terms.push(word.kind === 'link' ? BREAK : termOf(slot, word));
    for (const part of word.parts ?? []) terms.push(termOf(slot, part));
  }
  const pairs = new Set(words.flatMap((word, i) => pairOf(slot, word, words[i + 1]) ?? []));
  for (const pair of pairs) terms.push(BREAK, pair);
  return terms;
}

/** 63 bits of a digest, and one bit for hashtags. */
function termOf(slot: number, { kind, key }: Pick<Word, 'kind' | 'key'>): string {
  const bits = hash('sha256', `${slot} ${kind === 'mention' ? `@${key}` : key}`, 'buffer').readBigInt64BE(0) & ~1n;
  return String(kind === 'hashtag' ? bits | 1n : bits);
}

const pairOf = (slot: number, one: Word, other: Word | undefined): string | undefined =>
  other && isUsual(one) && isUsual(other) ? termOf(slot, { kind: 'word', key: `${one.key} ${other.key}` }) : undefined;

const isUsual = ({ kind, key }: Word): boolean => (kind === 'word' || kind === 'hashtag') && USUAL.has(key);
