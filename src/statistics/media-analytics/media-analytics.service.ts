import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { Caller } from '../../auth/caller.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Clock } from '../../common/time/clock.js';
import { inSeconds } from '../../common/time/in-seconds.js';
import { groupedBy } from '../../common/values/grouped.js';
import { mediaTypeOf } from '../../creatives/media-files/media-key.js';
import { MediaUploadsService } from '../../creatives/media-upload/media-uploads.service.js';
import { PAID_STATISTICS_READ } from '../statistics.permissions.js';
import type { GetMediaAnalytics } from './media-analytics.dto.js';
import { mediaBounds, mediaWindowProblems } from './media-analytics.rules.js';
import { mediaSumsOf, type MediaSums } from './media-analytics.statements.js';
import { MEDIA_METRICS, type CountedUnit, type MediaAnalytics, type MediaMetric } from './media-metrics.js';

const NOTHING = Object.fromEntries(MEDIA_METRICS.map((metric) => [metric, 0])) as Record<MediaMetric, number>;

/** How the videos of a user were watched. */
@Injectable()
export class MediaAnalyticsService {
  constructor(
    private readonly uploads: MediaUploadsService,
    private readonly access: AccountAccessService,
    private readonly clock: Clock,
  ) {}

  /**
   * What the ads of all accounts whose paid statistics the caller may read delivered of their uploads, in the order of
   * the keys. 404 for keys that are not theirs.
   */
  async get(
    db: EntityManager,
    caller: Pick<Caller, 'userId'>,
    request: Parsed<GetMediaAnalytics>,
  ): Promise<MediaAnalytics[]> {
    const now = this.clock.now();
    const times = request.known('start_time', 'end_time', 'granularity');
    const params = request.paramsUnless(times ? mediaWindowProblems(times, now) : []);
    const all = [...new Set(params.media_keys)];
    const [accountIds] = await Promise.all([
      this.access.permitting(caller.userId, PAID_STATISTICS_READ),
      this.uploads.byKeys(db, caller, all, 'media_keys'),
    ]);
    const bounds = mediaBounds(params, now);
    // an image beside a video in a card is not watched
    const keys = all.filter((key) => mediaTypeOf(key) !== 'IMAGE');
    const isEmpty = keys.length === 0 || accountIds.length === 0;
    const sums = isEmpty ? [] : await mediaSumsOf(db, { userId: caller.userId, keys, accountIds, bounds });
    const byKey = groupedBy(sums, ({ key }) => key);
    return all.map((key) => ({ key, units: unitsOf(byKey.get(key) ?? [], bounds) }));
  }
}

function unitsOf(sums: readonly MediaSums[], bounds: readonly number[]): CountedUnit[] {
  const counted = new Map(sums.map(({ key: _, unit, ...counts }) => [unit, counts]));
  if (![...counted.values()].some((counts) => Object.values(counts).some((count) => count > 0))) return [];
  return bounds
    .slice(0, -1)
    .map((start, unit) => ({ timestamp: inSeconds(start), counts: counted.get(unit) ?? NOTHING }));
}
