import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { definedErrors, type ApiError } from '../../common/errors/api-error.js';
import { actionNotAllowed } from '../../common/errors/catalogue.js';
import type { RowReader } from '../../common/db/query/freshness.js';
import type { AdsEnvironment } from '../../common/http/urls/public-urls.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { PostTermsService, type PostSearch } from '../../creatives/post-terms/post-terms.service.js';
import { INSIGHTS_READ } from '../audiences.permissions.js';
import { countryAt } from '../locations/countries.js';
import type { SearchKeywords } from './keyword-insights.dto.js';
import { defaultEnd, insightsWindowOf, windowProblem } from './keyword-insights.rules.js';
import { relatedKeywords, TermCounts } from './related-keywords.rules.js';

/** Number of newest posts whose terms are candidates for related keywords. */
const NEWEST = 1_000;
/** Number of posts that determine how common a term is. */
const SAMPLE = 1_000;
const WEEK = 7 * DAY_MS;
/** Number of texts to process before the loop yields to other requests. */
const TEXTS_AT_ONCE = 100;

/** The insights, and the end of their window. */
export interface KeywordInsights {
  related: string[];
  volumes: number[];
  endTime: string;
}

@Injectable()
export class KeywordInsightsService {
  constructor(
    private readonly clock: Clock,
    private readonly access: AccountAccessService,
    private readonly posts: PostTermsService,
  ) {}

  async search(
    environment: AdsEnvironment,
    userId: string,
    request: Parsed<SearchKeywords>,
    { freshness }: RowReader = {},
  ): Promise<KeywordInsights> {
    const now = this.clock.now();
    const query = request.paramsUnless(problemsOf(request, now));
    const { start, end, endTime, unitMs, units } = insightsWindowOf(query, now);
    const { keywords, negative_keywords: negatives = [] } = query;
    const country = query.location === undefined ? undefined : countryAt(query.location)!.code;
    const search: PostSearch = { keywords, negatives, country, start, end, freshness };
    const [allowed, volumes, related] = await Promise.all([
      this.access.mayAnywhere(environment, userId, INSIGHTS_READ),
      this.posts.volumes(search, { unitMs, units }),
      this.related(search),
    ]);
    if (!allowed)
      throw actionNotAllowed(`${INSIGHTS_READ.name} requires another role on one of the accounts of the user`);
    return { related, volumes, endTime };
  }

  /** The keywords related to these in the posts of the last week, most significant first; filled up to `count`. */
  relatedTo(keywords: readonly string[], count: number): Promise<string[]> {
    const now = this.clock.now();
    return this.related({ keywords, start: new Date(now.getTime() - WEEK), end: new Date(now.getTime() + 1) }, count);
  }

  private async related(search: PostSearch, count?: number): Promise<string[]> {
    const [newest, sample] = await Promise.all([this.posts.newest(search, NEWEST), this.posts.sample(search, SAMPLE)]);
    const matching = await counted(newest, new TermCounts());
    const average = await counted(sample, new TermCounts(matching));
    return relatedKeywords([...search.keywords, ...(search.negatives ?? [])], matching, average, count);
  }
}

/** Validates a window without an end, as far as its parameters could be read. */
function problemsOf(request: Parsed<SearchKeywords>, now: Date): ApiError[] {
  const window = request.known('start_time', 'end_time');
  if (!window || window.end_time !== undefined) return [];
  return definedErrors(windowProblem(window.start_time, defaultEnd(window.start_time, now), true));
}

async function counted(texts: readonly string[], counts: TermCounts): Promise<TermCounts> {
  for (const [i, text] of texts.entries()) {
    if (i % TEXTS_AT_ONCE === TEXTS_AT_ONCE - 1) await nextTurn();
    counts.add(text);
  }
  return counts;
}
