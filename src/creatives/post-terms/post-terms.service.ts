import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RowReader } from '../../common/db/query/freshness.js';
import type { Row } from '../../common/db/query/rows.js';
import { insert, write, type Write } from '../../common/db/query/write.js';
import { AuthorCountries } from './author-countries.service.js';
import { PostTerms } from './post-terms.entity.js';
import { keywordOf, slotsIn, postTermsOf, type Keyword, type PostSearchConditions } from './post-terms.rules.js';
import {
  countedPosts,
  moveAuthors,
  newestAuthors,
  newestTexts,
  sampledTexts,
  type TimeSpan,
} from './post-terms.statements.js';
import type { Post } from '../entities/post.entity.js';

/** Conditions on posts, as the caller writes them. */
export interface PostSearch extends RowReader {
  /** Posts with any of these words, hashtags (with their `#`) or phrases. */
  keywords: readonly string[];
  /** Posts without any of these. */
  negatives?: readonly string[];
  /** ISO 3166-1 alpha-2 country of the authors at the time of the post. */
  country?: string;
  start: Date;
  /** Exclusive end. */
  end: Date;
}

/** Number of statements for a count, which the database runs in parallel. */
const PARTS = 2;

/** Keywords converted before the loop yields to other requests. */
const KEYWORDS_AT_ONCE = 100;

/** Number of points in time that a sample reads from. */
const SAMPLES = 20;

/** Searches published posts by words, across all accounts. */
@Injectable()
export class PostTermsService {
  constructor(
    private readonly db: DataSource,
    private readonly countries: AuthorCountries,
  ) {}

  /** Number of posts per time unit; posts after the last unit count in it. */
  async volumes(search: PostSearch, { unitMs, units }: { unitMs: number; units: number }): Promise<number[]> {
    const [start, end] = [search.start.getTime(), search.end.getTime()];
    const volumes = Array.from<number>({ length: units }).fill(0);
    const looking = lookingFor(search);
    if (looking.keywords.length === 0) return volumes;
    const [slots, span] = [slotsIn(start, end), spanOf(start, end)];
    const parts = Array.from({ length: Math.min(PARTS, slots.length) }, (_, part) =>
      slots.filter((_, i) => i % PARTS === part),
    );
    const counted = parts.map((part) => countedPosts(this.db.manager, looking, { slots: part, span, unitMs }, search));
    for (const { unit, posts } of (await Promise.all(counted)).flat()) volumes[Math.min(unit, units - 1)] += posts;
    return volumes;
  }

  /** Texts of the newest posts, newest first. */
  async newest(search: PostSearch, limit: number): Promise<string[]> {
    const looking = lookingFor(search);
    const span = spanOf(search.start.getTime(), search.end.getTime());
    const slots = slotsIn(search.start.getTime(), search.end.getTime());
    const texts: string[] = [];
    if (looking.keywords.length === 0) return texts;
    // the last hours usually have enough posts; each step reads twice as far back
    for (let step = 1; slots.length > 0 && texts.length < limit; step *= 2) {
      const last = slots.splice(-step);
      const asked = { slots: last, span, limit: limit - texts.length };
      texts.push(...(await newestTexts(this.db.manager, looking, asked, search)));
    }
    return texts;
  }

  /** Authors of at most `limit` newest posts, newest first; an author may occur several times. */
  async authors(search: PostSearch, limit: number): Promise<string[]> {
    const authors: string[] = [];
    const slots = slotsIn(search.start.getTime(), search.end.getTime());
    const span = spanOf(search.start.getTime(), search.end.getTime());
    for (let first = 0; first < search.keywords.length && authors.length < limit; first += KEYWORDS_AT_ONCE) {
      const looking = lookingFor({ ...search, keywords: search.keywords.slice(first, first + KEYWORDS_AT_ONCE) });
      if (looking.keywords.length === 0) continue;
      const left = [...slots];
      for (let step = 1; left.length > 0 && authors.length < limit; step *= 2) {
        const asked = { slots: left.splice(-step), span, limit: limit - authors.length };
        authors.push(...(await newestAuthors(this.db.manager, looking, asked)));
      }
    }
    return authors;
  }

  /** Texts of about `about` posts at most, from all parts of a time range, without conditions. */
  sample(search: Pick<PostSearch, 'start' | 'end' | 'freshness'>, about: number): Promise<string[]> {
    const { start, end } = search;
    const [first, length] = [start.getTime(), end.getTime() - start.getTime()];
    const spans = Array.from({ length: SAMPLES }, (_, i) =>
      spanOf(first + Math.round((length * i) / SAMPLES), first + Math.round((length * (i + 1)) / SAMPLES)),
    );
    return sampledTexts(this.db.manager, spans, { each: Math.ceil(about / SAMPLES) }, search);
  }

  /** The known countries of authors, to be read before their posts are stored. */
  countriesOf(authorIds: readonly string[], db: EntityManager): Promise<ReadonlyMap<string, string>> {
    return this.countries.of(authorIds, db);
  }

  /** Rows stored with new posts, in the same statement. */
  of(
    posts: readonly Pick<Row<Post>, 'id' | 'authorId' | 'text' | 'createdAt'>[],
    countries: ReadonlyMap<string, string>,
  ): Write {
    return insert(
      PostTerms,
      posts.map((post) => termsRow(post, countries.get(post.authorId))),
    );
  }

  /** Sets the countries of authors; all their posts count there from now on. */
  async moved(countries: ReadonlyMap<string, string | null>, db = this.db.manager): Promise<void> {
    if (countries.size > 0) await write(db, [moveAuthors(countries)]);
  }
}

/** Builds the terms row of a post. */
const termsRow = (
  { id, text, createdAt }: Pick<Row<Post>, 'id' | 'text' | 'createdAt'>,
  country: string | null = null,
): Row<PostTerms> => ({ at: createdAt, country, postId: id, terms: postTermsOf(text, createdAt) });

const spanOf = (start: number, end: number): TimeSpan => ({
  start: new Date(start).toISOString(),
  end: new Date(end).toISOString(),
});

const lookingFor = ({ keywords, negatives = [], country }: PostSearch): PostSearchConditions => ({
  keywords: keywords.flatMap(asked),
  negatives: negatives.flatMap(asked),
  country,
});

const asked = (text: string): Keyword[] => {
  const keyword = keywordOf(text);
  return keyword ? [keyword] : [];
};
