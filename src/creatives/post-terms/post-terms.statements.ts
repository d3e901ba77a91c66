import type { EntityManager } from 'typeorm';
import { binding, run, type Bind } from '../../common/db/query/statement.js';
import { quoted, tableOf } from '../../common/db/query/table-metadata.js';
import type { Write } from '../../common/db/query/write.js';
import { PostTerms } from './post-terms.entity.js';
import { askedOf, type Asked, type Looking } from './post-terms.rules.js';
import { Post } from '../entities/post.entity.js';

/** From the first moment up to but not including the second: ISO 8601. */
export interface Span {
  start: string;
  end: string;
}

/** Asked seldom; planned once, while there were few posts, thousands would be gone through for each of thousands. */
const LOOKED_UP = { large: true, planned: 'each time' } as const;

/** How many posts there are that are meant, by unit of time; units without any are left out. */
export function countedPosts(
  db: EntityManager,
  looking: Looking,
  { slots, span, unitMs }: { slots: readonly number[]; span: Span; unitMs: number },
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
    LOOKED_UP,
  );
}

/** Of which posts the newest are asked for, and how many of them. */
interface Newest {
  slots: readonly number[];
  span: Span;
  limit: number;
}

/** The texts of the newest posts that are meant, newest first. */
export const newestTexts = (db: EntityManager, looking: Looking, which: Newest): Promise<string[]> =>
  ofNewest(db, 'text', looking, which);

/** The authors of the same posts. */
export const newestAuthors = (db: EntityManager, looking: Looking, which: Newest): Promise<string[]> =>
  ofNewest(db, 'authorId', looking, which);

async function ofNewest(
  db: EntityManager,
  column: 'text' | 'authorId',
  looking: Looking,
  { slots, span, limit }: Newest,
): Promise<string[]> {
  const { bind, values } = binding();
  const posts = meant(db, looking, slots, bind);
  const newest = `SELECT m.at, m."postId" FROM (${posts}) m WHERE m.at >= ${bind(span.start)} AND m.at < ${bind(span.end)}
    ORDER BY m.at DESC, m."postId" DESC LIMIT ${bind(limit)}`;
  return columnOf(db, column, newest, 'n.at DESC, n."postId" DESC', values);
}

/** The texts of posts of each of these times, the earliest of each: of all posts, whatever they say. */
export async function sampledTexts(
  db: EntityManager,
  spans: readonly Span[],
  { each }: { each: number },
): Promise<string[]> {
  const { table } = tableOf(db, PostTerms);
  const sample = `SELECT t.at, t."postId" FROM unnest($1::timestamptz[], $2::timestamptz[]) AS s (start, "end"),
    LATERAL (SELECT at, "postId" FROM ${table} WHERE at >= s.start AND at < s."end" ORDER BY at LIMIT $3) t`;
  const values = [spans.map(({ start }) => start), spans.map(({ end }) => end), each];
  return columnOf(db, 'text', sample, 'n.at, n."postId"', values);
}

async function columnOf(
  db: EntityManager,
  column: 'text' | 'authorId',
  which: string,
  order: string,
  values: unknown[],
): Promise<string[]> {
  const { table } = tableOf(db, Post);
  const text = `SELECT p.${quoted(column)} AS value FROM (${which}) n JOIN ${table} p ON p.id = n."postId" WHERE p."deletedAt" IS NULL ORDER BY ${order}`;
  return (await run<{ value: string }>(db, { text, values }, LOOKED_UP)).map(({ value }) => value);
}

/**
 * `at` and `weight` of the posts that are meant, to be added up. Where only words are looked for, posts that have a negative one,
 * too, are counted and taken off again: both are looked up in the index, and no post has to be compared with another.
 */
function weighed(db: EntityManager, looking: Looking, slots: readonly number[], bind: Bind): string {
  const [wanted, unwanted] = [askedOf(looking.keywords, slots), askedOf(looking.negatives, slots)];
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
 * `at` and `postId` of the posts that are meant, each once, out of the index of terms alone: it is never asked whether a
 * post has one of the terms, which would take ten times as long as to look them up.
 */
function meant(db: EntityManager, looking: Looking, slots: readonly number[], bind: Bind): string {
  const inCountry = countryOf(looking, bind);
  const found = having(db, askedOf(looking.keywords, slots), bind, inCountry);
  const unwanted = having(db, askedOf(looking.negatives, slots), bind, inCountry);
  // the posts of one slot have other terms than those of the next, so that what has one of some terms is found once
  const wanted = found.length === 1 && found[0].once ? found[0].sql : found.map(({ sql }) => sql).join(' UNION ');
  return unwanted.length === 0 ? wanted : `(${wanted}) EXCEPT (${unwanted.map(({ sql }) => sql).join(' UNION ALL ')})`;
}

const countryOf = ({ country }: Looking, bind: Bind): string =>
  country === undefined ? '' : ` AND t.country = ${bind(country)}`;

/** A list within a list, which PostgreSQL takes as a text only. */
const listOf = (terms: readonly string[]): string => `{${terms.join(',')}}`;

/**
 * `OFFSET 0` keeps conditions on the time from being pushed down, where an index on it would be taken for the better one.
 * The same condition twice: PostgreSQL takes what it does not know for a hundredth of all rows, and of ten million it would
 * read the whole table. Of a ten-thousandth it asks the index, which looks the terms up for both.
 */
function having(
  db: EntityManager,
  { words, phrases }: Asked,
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

/** Where the authors of posts are: of all that they have posted. */
export const moveAuthors = (countries: ReadonlyMap<string, string | null>): Write => ({
  sql(db, bind, when) {
    const [terms, posts] = [tableOf(db, PostTerms).table, tableOf(db, Post).table];
    const [authors, places] = [bind([...countries.keys()]), bind([...countries.values()])];
    return `UPDATE ${terms} t SET country = n.country
      FROM unnest(${authors}::varchar[], ${places}::varchar[]) AS n (author, country) JOIN ${posts} p ON p."authorId" = n.author
      WHERE t."postId" = p.id AND t.country IS DISTINCT FROM n.country AND ${when}`;
  },
});
