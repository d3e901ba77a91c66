import type { EntityManager } from 'typeorm';
import { binding, run, type Bind, type RunOptions } from '../../common/db/query/statement.js';
import type { RowReader } from '../../common/db/query/freshness.js';
import { quoteIdentifier, tableOf } from '../../common/db/query/table-metadata.js';
import type { Write } from '../../common/db/query/write.js';
import { PostTerms } from './post-terms.entity.js';
import { termQueryOf, type TermQuery, type PostSearchConditions } from './post-terms.rules.js';
import { Post } from '../entities/post.entity.js';

/** A time range in ISO 8601: start inclusive, end exclusive. */
export interface TimeSpan {
  start: string;
  end: string;
}

/** Rare queries, planned each time: a plan made for few posts would read thousands of rows thousands of times. */
const LOOKED_UP = { large: true, planned: 'each time' } as const;

const lookedUpBy = ({ freshness }: RowReader): RunOptions => (freshness ? { ...LOOKED_UP, freshness } : LOOKED_UP);

/** Number of matching posts per time unit; units without posts are omitted. */
export function countedPosts(
  db: EntityManager,
  looking: PostSearchConditions,
  { slots, span, unitMs }: { slots: readonly number[]; span: TimeSpan; unitMs: number },
  reader: RowReader = {},
): Promise<{ unit: number; posts: number }[]> {
  const { bind, values } = binding();
  const posts = weighed(db, looking, slots, bind);
  const [start, end] = [`${bind(span.start)}::timestamptz`, `${bind(span.end)}::timestamptz`];
  const unit = `${bind(unitMs)}::int`;
  return run(
    db,
    {
      text: `SELECT (extract(epoch FROM began - ${start}) * 1000 / ${unit})::int AS unit, posts::int AS posts FROM (
          SELECT date_bin(${unit} * interval '1 millisecond', m.at, ${start}) AS began, sum(m.weight) AS posts
          FROM (${posts}) m WHERE m.at >= ${start} AND m.at < ${end} GROUP BY 1) units`,
      values,
    },
    lookedUpBy(reader),
  );
}

/** Selection of the newest posts and its limit. */
interface Newest {
  slots: readonly number[];
  span: TimeSpan;
  limit: number;
}

/** Texts of the newest matching posts, newest first. */
export const newestTexts = (
  db: EntityManager,
  looking: PostSearchConditions,
  which: Newest,
  reader: RowReader = {},
): Promise<string[]> => ofNewest(db, 'text', looking, which, reader);

/** Authors of the newest matching posts, newest first. */
export const newestAuthors = (db: EntityManager, looking: PostSearchConditions, which: Newest): Promise<string[]> =>
  ofNewest(db, 'authorId', looking, which);

async function ofNewest(
  db: EntityManager,
  column: 'text' | 'authorId',
  looking: PostSearchConditions,
  { slots, span, limit }: Newest,
  reader: RowReader = {},
): Promise<string[]> {
  const { bind, values } = binding();
  const posts = meant(db, looking, slots, bind);
  const newest = `SELECT m.at, m."postId" FROM (${posts}) m WHERE m.at >= ${bind(span.start)} AND m.at < ${bind(span.end)}
    ORDER BY m.at DESC, m."postId" DESC LIMIT ${bind(limit)}`;
  return columnOf(db, column, newest, 'n.at DESC, n."postId" DESC', values, reader);
}

/** Texts of the earliest posts in each of these spans, whatever their content. */
export async function sampledTexts(
  db: EntityManager,
  spans: readonly TimeSpan[],
  { each }: { each: number },
  reader: RowReader = {},
): Promise<string[]> {
  const { table } = tableOf(db, PostTerms);
  const sample = `SELECT t.at, t."postId" FROM unnest($1::timestamptz[], $2::timestamptz[]) AS s (start, "end"),
    LATERAL (SELECT at, "postId" FROM ${table} WHERE at >= s.start AND at < s."end" ORDER BY at LIMIT $3) t`;
  const values = [spans.map(({ start }) => start), spans.map(({ end }) => end), each];
  return columnOf(db, 'text', sample, 'n.at, n."postId"', values, reader);
}

async function columnOf(
  db: EntityManager,
  column: 'text' | 'authorId',
  which: string,
  order: string,
  values: unknown[],
  reader: RowReader,
): Promise<string[]> {
  const { table } = tableOf(db, Post);
  const text = `SELECT p.${quoteIdentifier(column)} AS value FROM (${which}) n JOIN ${table} p ON p.id = n."postId" WHERE p."deletedAt" IS NULL ORDER BY ${order}`;
  return (await run<{ value: string }>(db, { text, values }, lookedUpBy(reader))).map(({ value }) => value);
}

/**
 * `at` and `weight` of the matching posts, to be summed. If all keywords are single words, posts with a negative one
 * are counted and subtracted: the index finds both, and no two posts must be compared.
 */
function weighed(db: EntityManager, looking: PostSearchConditions, slots: readonly number[], bind: Bind): string {
  const [wanted, unwanted] = [termQueryOf(looking.keywords, slots), termQueryOf(looking.negatives, slots)];
  const areWords = wanted.phrases.length + unwanted.phrases.length === 0;
  if (!areWords || unwanted.words.length === 0)
    return `SELECT at, 1 AS weight FROM (${meant(db, looking, slots, bind)}) every`;
  const inCountry = countryOf(looking, bind);
  const [{ sql: all }] = having(db, wanted, bind, inCountry);
  const { table } = tableOf(db, PostTerms);
  const lists = [wanted, unwanted].map(({ words }) => `${bind(words.map(({ any }) => listOf(any)))}::text[]`);
  return `SELECT at, 1 AS weight FROM (${all}) every
    UNION ALL SELECT t.at, -1 FROM (SELECT t.at FROM unnest(${lists.join(', ')}) AS a (terms, negative)
      JOIN ${table} t ON t.terms && a.terms::int8[] AND t.terms && a.negative::int8[]${inCountry} OFFSET 0) t`;
}

/**
 * `at` and `postId` of the matching posts, without duplicates, from the index of terms alone. Testing whether a post
 * has one of the terms would take ten times as long as looking them up.
 */
function meant(db: EntityManager, looking: PostSearchConditions, slots: readonly number[], bind: Bind): string {
  const inCountry = countryOf(looking, bind);
  const found = having(db, termQueryOf(looking.keywords, slots), bind, inCountry);
  const unwanted = having(db, termQueryOf(looking.negatives, slots), bind, inCountry);
  // terms differ between slots, so a search for any of some terms finds each post once
  const wanted = found.length === 1 && found[0].once ? found[0].sql : found.map(({ sql }) => sql).join(' UNION ');
  return unwanted.length === 0 ? wanted : `(${wanted}) EXCEPT (${unwanted.map(({ sql }) => sql).join(' UNION ALL ')})`;
}

const countryOf = ({ country }: PostSearchConditions, bind: Bind): string =>
  country === undefined ? '' : ` AND t.country = ${bind(country)}`;

/** A nested list, which PostgreSQL accepts only as text. */
const listOf = (terms: readonly string[]): string => `{${terms.join(',')}}`;

/**
 * `OFFSET 0` prevents pushdown of conditions on the time, for which PostgreSQL would prefer an index on the time. The
 * condition occurs twice because PostgreSQL estimates an unknown condition at a hundredth of all rows and would scan a
 * table of ten million. At a ten-thousandth it uses the index, which looks the terms up for both.
 */
function having(
  db: EntityManager,
  { words, phrases }: TermQuery,
  bind: Bind,
  inCountry: string,
): { sql: string; once: boolean }[] {
  const { table } = tableOf(db, PostTerms);
  const parts: { sql: string; once: boolean }[] = [];
  if (words.length > 0) {
    const asked = `unnest(${bind(words.map(({ any }) => listOf(any)))}::text[]) AS a (terms)`;
    parts.push({
      once: true,
      sql: `SELECT t.at, t."postId" FROM (SELECT t.at, t."postId" FROM ${asked} JOIN ${table} t ON t.terms && a.terms::int8[] AND t.terms && a.terms::int8[]${inCountry} OFFSET 0) t`,
    });
  }
  if (phrases.length > 0) {
    const columns = [
      phrases.map(({ one }) => listOf(one)),
      phrases.map(({ other }) => listOf(other)),
      phrases.map(({ pattern }) => pattern),
    ];
    const asked = `unnest(${columns.map((column) => `${bind(column)}::text[]`).join(', ')}) AS a (one, other, pattern)`;
    parts.push({
      once: false,
      sql: `SELECT t.at, t."postId" FROM (SELECT DISTINCT t.at, t."postId" FROM ${asked} JOIN ${table} t ON t.terms && a.one::int8[] AND t.terms && a.other::int8[]
        WHERE array_to_string(t.terms, ',') ~ a.pattern${inCountry} OFFSET 0) t`,
    });
  }
  return parts;
}

/** Sets the countries of authors in all their posts. */
export const moveAuthors = (countries: ReadonlyMap<string, string | null>): Write => ({
  sql(db, bind, when) {
    const [terms, posts] = [tableOf(db, PostTerms).table, tableOf(db, Post).table];
    const [authors, places] = [bind([...countries.keys()]), bind([...countries.values()])];
    return `UPDATE ${terms} t SET country = n.country
      FROM unnest(${authors}::varchar[], ${places}::varchar[]) AS n (author, country) JOIN ${posts} p ON p."authorId" = n.author
      WHERE t."postId" = p.id AND t.country IS DISTINCT FROM n.country AND ${when}`;
  },
});
