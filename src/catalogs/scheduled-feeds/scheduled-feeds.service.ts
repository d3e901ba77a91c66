import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { nextAfterStored } from '../../common/db/query/computed.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { mistakeOfUrl } from '../../common/http/outgoing/public-url.js';
import { Clock } from '../../common/time/clock.js';
import { Config } from '../../config/config.js';
import { feedExists, feedNotFound } from '../catalogs.errors.js';
import { ScheduledFeed, type FeedFrequency } from '../entities/scheduled-feed.entity.js';
import type { CatalogUser } from '../product-catalogs/product-catalogs.dto.js';
import { ProductCatalogsService } from '../product-catalogs/product-catalogs.service.js';
import { nextDue, repeatOf, type Schedule } from './schedule.rules.js';
import type { CreateScheduledFeed, UpdateScheduledFeed } from './scheduled-feeds.dto.js';

interface FeedKey {
  catalogId: string;
  id: string;
}

/** The scheduled feeds of catalogs. */
@Injectable()
export class ScheduledFeedsService {
  constructor(
    private readonly catalogs: ProductCatalogsService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** The feed of a catalog in a list: one, or none. */
  async list(db: EntityManager, userId: string, catalogId: string, query: CatalogUser): Promise<Row<ScheduledFeed>[]> {
    await this.catalogs.get(db, userId, catalogId, query);
    return rows(db, ScheduledFeed).where('catalogId', catalogId).getMany();
  }

  /** A feed with its last fetch. */
  async get(db: EntityManager, userId: string, key: FeedKey, query: CatalogUser): Promise<Row<ScheduledFeed>> {
    await this.catalogs.get(db, userId, key.catalogId, query);
    return found(key.id, await feedOf(db, key).getOne());
  }

  /** Creates the feed of a catalog; 400 if there is one. It is fetched at its next start time. */
  create(
    db: EntityManager,
    userId: string,
    catalogId: string,
    params: CreateScheduledFeed,
  ): Promise<Row<ScheduledFeed>> {
    this.assertAllowed(params.feed_url);
    const repeat = checkedRepeat(params.frequency, params.repeat);
    return this.catalogs.changing(db, userId, catalogId, params, async (tx) => {
      const existing = await rows(tx, ScheduledFeed).where('catalogId', catalogId).getOne();
      if (existing) throw feedExists(existing.id);
      const now = this.clock.now();
      const schedule: Schedule = {
        frequency: params.frequency,
        repeat,
        startTime: params.start_time,
        timeZone: params.time_zone,
      };
      const feed: Row<ScheduledFeed> = {
        ...schedule,
        id: newNumber(now),
        catalogId,
        userId,
        feedUrl: params.feed_url,
        feedFormat: params.feed_format,
        dueAt: dueAfter(schedule, now),
        claim: null,
        claimedUntil: null,
        failures: 0,
        lastFetch: null,
        createdAt: now.toISOString(),
        updatedAt: now.toISOString(),
      };
      await write(tx, [insert(ScheduledFeed, [feed])]);
      return feed;
    });
  }

  /** Changes a feed. A fetch that runs ends, and the next one is at the next start time. */
  update(db: EntityManager, userId: string, key: FeedKey, params: UpdateScheduledFeed): Promise<Row<ScheduledFeed>> {
    this.assertAllowed(params.feed_url);
    return this.catalogs.changing(db, userId, key.catalogId, params, async (tx) => {
      const feed = found(key.id, await feedOf(tx, key).setLock('for_no_key_update').getOne());
      const { frequency = feed.frequency } = params;
      const before = frequency === feed.frequency ? feed.repeat : undefined;
      const now = this.clock.now();
      const schedule: Schedule = {
        frequency,
        repeat: checkedRepeat(frequency, params.repeat === undefined ? before : params.repeat),
        startTime: params.start_time ?? feed.startTime,
        timeZone: params.time_zone ?? feed.timeZone,
      };
      const [changed] = await feedOf(tx, key).update({
        ...schedule,
        feedUrl: params.feed_url,
        feedFormat: params.feed_format,
        dueAt: dueAfter(schedule, now),
        failures: 0,
        ...(feed.claim !== null && {
          claim: null,
          claimedUntil: null,
          lastFetch: feed.lastFetch && {
            ...feed.lastFetch,
            status: 'FAILED',
            endedAt: now.toISOString(),
            error: 'The feed was changed while it was fetched.',
          },
        }),
        updatedAt: nextAfterStored(now.toISOString()),
      });
      return changed;
    });
  }

  /** Deletes a feed permanently. A fetch that runs ends; products stay. */
  delete(db: EntityManager, userId: string, key: FeedKey, query: CatalogUser): Promise<Row<ScheduledFeed>> {
    return this.catalogs.changing(db, userId, key.catalogId, query, async (tx) => {
      const feed = found(key.id, await feedOf(tx, key).getOne());
      await feedOf(tx, key).delete();
      return feed;
    });
  }

  /** Makes a feed due now, unless it is fetched already. */
  fetchNow(db: EntityManager, userId: string, key: FeedKey, query: CatalogUser): Promise<Row<ScheduledFeed>> {
    return this.catalogs.changing(db, userId, key.catalogId, query, async (tx) => {
      const feed = found(key.id, await feedOf(tx, key).setLock('for_no_key_update').getOne());
      const now = this.clock.now();
      if (feed.claim !== null || Date.parse(feed.dueAt) <= now.getTime()) return feed;
      const [changed] = await feedOf(tx, key).update({ dueAt: now.toISOString() });
      return changed;
    });
  }

  private assertAllowed(url: string | undefined): void {
    const mistake = url === undefined ? undefined : mistakeOfUrl(url, this.config.production);
    if (mistake !== undefined) throw invalid('feed_url', `feed_url ${mistake}, got ${url}`, { value: url });
  }
}

/** When a feed of a schedule is due next. */
export const dueAfter = (schedule: Schedule, now: Date): string =>
  new Date(nextDue(schedule, now.getTime())).toISOString();

const feedOf = (db: EntityManager, { catalogId, id }: FeedKey) =>
  rows(db, ScheduledFeed).where('id', id).where('catalogId', catalogId);

function found(id: string, feed: Row<ScheduledFeed> | undefined): Row<ScheduledFeed> {
  if (!feed) throw feedNotFound(id);
  return feed;
}

function checkedRepeat(frequency: FeedFrequency, given: string | null | undefined): string | null {
  const repeat = repeatOf(frequency, given);
  if (repeat instanceof ApiError) throw repeat;
  return repeat;
}
