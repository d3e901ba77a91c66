import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { locationOf } from '../src/audiences/locations/countries.js';
import { DAY_MS } from '../src/common/time/days.js';
import { postTermsOf } from '../src/creatives/post-terms/post-terms.rules.js';
import type { Case } from './cases.js';
import { dice } from './dice.js';
import { query, type World } from './world.js';

const HOUR_MS = DAY_MS / 24;
const WEEK_MS = 7 * DAY_MS;
/** Words of which each is in one of a hundred posts, and from which each request takes its own. */
const KEYWORDS = Array.from({ length: 50 }, (_, n) => `topic${n}`);
const USUALNESS = 100;
/** Words of all other kinds, each rarer than the one before. */
const VOCABULARY = 20_000;
const WORDS = 8;
const USUAL = ['the', 'and', 'for', 'with', 'this', 'that', 'your', 'have', 'from', 'all'];
const COUNTRIES = ['US', 'US', 'US', 'GB', 'DE', 'JP', '\\N'];
/** Before all that are made while it runs. */
const FIRST_ID = 10 ** 15;
/** So many posts are made at a time. */
const STEP = 5_000;
/** Different requests of a case. */
const VARIETY = 20;

export interface InsightCases {
  cases: Case[];
  /** All posts of the same week by the hour, whatever they say: what PostgreSQL takes where nothing is looked for. */
  everything: string;
}

/** Fills a week with posts of ten to fifteen words, and makes requests for all of its hours. */
export async function makeInsights(world: World, posts: number): Promise<InsightCases> {
  const end = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  await fillPosts(world, posts, end - WEEK_MS);
  const draw = dice();
  const request = (asked: Record<string, string>) => ({
    method: 'GET' as const,
    target: `/12/insights/keywords/search?${new URLSearchParams({
      granularity: 'HOUR',
      start_time: secondsOf(end - WEEK_MS),
      end_time: secondsOf(end),
      ...asked,
    }).toString()}`,
  });
  const insights = (name: string, asked: () => Record<string, string>): Case => ({
    name: `insights, ${name}`,
    requests: Array.from({ length: VARIETY }, () => request(asked())),
  });
  return {
    cases: [
      insights('one word', () => ({ keywords: drawn(draw, 1).join() })),
      insights('ten words', () => ({ keywords: drawn(draw, 10).join() })),
      insights('nine words, one not', () => {
        const [no, ...words] = drawn(draw, 10);
        return { keywords: words.join(), negative_keywords: no };
      }),
      insights('ten words in a country', () => ({ keywords: drawn(draw, 10).join(), location: locationOf('US') })),
      insights('nine words and a phrase', () => ({ keywords: [...drawn(draw, 9), 'the word100'].join() })),
    ],
    everything: `SELECT date_bin(interval '1 hour', at, '${new Date(end - WEEK_MS).toISOString()}'), count(*) FROM post_terms
      WHERE at >= '${new Date(end - WEEK_MS).toISOString()}' AND at < '${new Date(end).toISOString()}' GROUP BY 1`,
  };
}

const secondsOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

function drawn(draw: (below: number) => number, count: number): string[] {
  const words = new Set<string>();
  while (words.size < count) words.add(KEYWORDS[draw(KEYWORDS.length)]);
  return [...words];
}

/** Every post has usual words, others as rare as in life, and of the keywords those whose turn it is by chance. */
async function fillPosts({ databaseUrl, account, author }: World, posts: number, from: number): Promise<void> {
  await query(databaseUrl, 'DROP INDEX post_terms_at, post_terms_terms');
  const draw = dice();
  const clients = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)];
  await Promise.all(clients.map((client) => client.connect()));
  for (let first = 0; first < posts; first += STEP) {
    const [rows, terms] = [[] as string[], [] as string[]];
    for (let n = first; n < Math.min(first + STEP, posts); n++) {
      const at = new Date(from + Math.floor((WEEK_MS * n) / posts)).toISOString();
      const said = textOf(draw);
      const country = COUNTRIES[draw(COUNTRIES.length)];
      rows.push(
        `${FIRST_ID + n}\t${at}\t${at}\t${account.id}\t${author}\t${said}\ten\t${ENTITIES}\tf\t{}\tEVERYONE\tf\t${n.toString(16).padStart(64, '0')}\n`,
      );
      terms.push(`${at}\t${country}\t${FIRST_ID + n}\t{${postTermsOf(said, at).join()}}\n`);
    }
    await Promise.all([
      pipeline(
        Readable.from([rows.join('')]),
        clients[0].query(
          copyFrom(
            `COPY posts (id, "createdAt", "updatedAt", "accountId", "authorId", text, lang, entities, nullcast, "mediaKeys", "conversationSettings", conversational, digest) FROM STDIN`,
          ),
        ),
      ),
      pipeline(
        Readable.from([terms.join('')]),
        clients[1].query(copyFrom('COPY post_terms (at, country, "postId", terms) FROM STDIN')),
      ),
    ]);
  }
  await Promise.all(clients.map((client) => client.end()));
  await query(databaseUrl, 'CREATE INDEX post_terms_at ON post_terms (at)');
  await query(databaseUrl, 'CREATE INDEX post_terms_terms ON post_terms USING gin (terms) WITH (fastupdate = off)');
  await query(databaseUrl, 'VACUUM (ANALYZE)');
  await query(databaseUrl, 'CHECKPOINT');
}

const ENTITIES = '{"hashtags":[],"symbols":[],"user_mentions":[],"urls":[]}';

function textOf(draw: (below: number) => number): string {
  const words = Array.from({ length: WORDS }, () => `word${Math.floor((draw(100_000) / 100_000) ** 3 * VOCABULARY)}`);
  for (let i = 0; i < 4; i++) words.splice(draw(words.length), 0, USUAL[draw(USUAL.length)]);
  for (const keyword of KEYWORDS) if (draw(USUALNESS) === 0) words.splice(draw(words.length), 0, keyword);
  return words.join(' ');
}
