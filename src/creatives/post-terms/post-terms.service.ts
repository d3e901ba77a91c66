import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import { insert, write, type Write } from '../../common/db/query/write.js';
import { AuthorCountries } from './author-countries.service.js';
import { PostTerms } from './post-terms.entity.js';
import { keywordOf, slotsIn, termsOf, type Keyword, type Looking } from './post-terms.rules.js';
import {
  countedPosts,
  moveAuthors,
  newestAuthors,
  newestTexts,
  sampledTexts,
  type Span,
} from './post-terms.statements.js';
import type { Post } from '../entities/post.entity.js';

/** Which posts are asked for, as people say it. */
export interface PostSearch {
  /** Posts with any of these: words, hashtags with their `#`, or phrases. */
  keywords: readonly string[];
  /** But without all of these. */
  negatives?: readonly string[];
  /** ISO 3166-1 alpha-2: only of authors who were there. */
  country?: string;
  start: Date;
  /** The first moment that does not belong to it any more. */
  end: Date;
}

/** In how many statements posts are counted, which the server works on at once. */
const PARTS = 2;

/** For so many keywords terms are made before others have their turn. */
const KEYWORDS_AT_ONCE = 100;

/** How many times a sample is taken from. */
const SAMPLES = 20;

/** What published posts say: looked for by words, over all accounts. */
@Injectable()
export class PostTermsService {
  constructor(
    private readonly db: DataSource,
    private readonly countries: AuthorCountries,
  ) {}

  /** How many posts there are in each unit of the time; what comes after the last unit counts in it. */
  async volumes(search: PostSearch, { unitMs, units }: { unitMs: number; units: number }): Promise<number[]> {
    const [start, end] = [search.start.getTime(), search.end.getTime()];
    const volumes = Array.from<number>({ length: units }).fill(0);
    const looking = lookingFor(search);
    if (looking.keywords.length === 0) return volumes;
    const [slots, span] = [slotsIn(start, end), spanOf(start, end)];
    const parts = Array.from({ length: Math.min(PARTS, slots.length) }, (_, part) =>
      slots.filter((_, i) => i % PARTS === part),
    );
    const counted = parts.map((part) => countedPosts(this.db.manager, looking, { slots: part, span, unitMs }));
    for (const { unit, posts } of (await Promise.all(counted)).flat()) volumes[Math.min(unit, units - 1)] += posts;
    return volumes;
  }

  /** What the newest of them say, newest first. */
  async newest(search: PostSearch, limit: number): Promise<string[]> {
    const looking = lookingFor(search);
    const span = spanOf(search.start.getTime(), search.end.getTime());
    const slots = slotsIn(search.start.getTime(), search.end.getTime());
    const texts: string[] = [];
    if (looking.keywords.length === 0) return texts;
    // mostly the last hours have enough of them; each step goes back twice as far
    for (let step = 1; slots.length > 0 && texts.length < limit; step *= 2) {
      const last = slots.splice(-step);
      const asked = { slots: last, span, limit: limit - texts.length };
      texts.push(...(await newestTexts(this.db.manager, looking, asked)));
    }
    return texts;
  }

  /** Who wrote the newest of them, at most so many, newest first; somebody may be there several times. */
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

  /** What posts say, whatever it is: about so many at most, from all parts of a time. */
  sample({ start, end }: Pick<PostSearch, 'start' | 'end'>, about: number): Promise<string[]> {
    const [first, length] = [start.getTime(), end.getTime() - start.getTime()];
    const spans = Array.from({ length: SAMPLES }, (_, i) =>
      spanOf(first + Math.round((length * i) / SAMPLES), first + Math.round((length * (i + 1)) / SAMPLES)),
    );
    return sampledTexts(this.db.manager, spans, { each: Math.ceil(about / SAMPLES) });
  }

  /** Where authors are, as far as that is known: to be asked before what they post is stored. */
  countriesOf(authorIds: readonly string[], db: EntityManager): Promise<ReadonlyMap<string, string>> {
    return this.countries.of(authorIds, db);
  }

  /** What is stored with new posts, in the same statement. */
  of(
    posts: readonly Pick<Row<Post>, 'id' | 'authorId' | 'text' | 'createdAt'>[],
    countries: ReadonlyMap<string, string>,
  ): Write {
    return insert(
      PostTerms,
      posts.map((post) => termsRow(post, countries.get(post.authorId))),
    );
  }

  /** Authors of posts are known to be in these countries: what they have posted counts there from now on. */
  async moved(countries: ReadonlyMap<string, string | null>, db = this.db.manager): Promise<void> {
    if (countries.size > 0) await write(db, [moveAuthors(countries)]);
  }
}

/** The row beside a post. */
export const termsRow = (
  { id, text, createdAt }: Pick<Row<Post>, 'id' | 'text' | 'createdAt'>,
  country: string | null = null,
): Row<PostTerms> => ({ at: createdAt, country, postId: id, terms: termsOf(text, createdAt) });

const spanOf = (start: number, end: number): Span => ({
  start: new Date(start).toISOString(),
  end: new Date(end).toISOString(),
});

const lookingFor = ({ keywords, negatives = [], country }: PostSearch): Looking => ({
  keywords: keywords.flatMap(asked),
  negatives: negatives.flatMap(asked),
  country,
});

const asked = (text: string): Keyword[] => {
  const keyword = keywordOf(text);
  return keyword ? [keyword] : [];
};
