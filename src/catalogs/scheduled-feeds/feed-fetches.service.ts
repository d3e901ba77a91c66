import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { nextSlice } from '../../common/concurrency/in-slices.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { whenUnlocked } from '../../common/db/query/retry.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { Clock } from '../../common/time/clock.js';
import { MINUTE_MS } from '../../common/time/days.js';
import type { ProductAttributes } from '../entities/product.entity.js';
import { ProductCatalog } from '../entities/product-catalog.entity.js';
import { ScheduledFeed } from '../entities/scheduled-feed.entity.js';
import { delimitedRows } from '../feed-files/delimited-rows.js';
import { FeedFailure, type FeedRow, type FeedRows } from '../feed-files/feed-row.js';
import { FeedSource } from '../feed-files/feed-source.js';
import { feedText } from '../feed-files/feed-text.js';
import { xmlRows } from '../feed-files/xml-rows.js';
import { ProductCatalogsService } from '../product-catalogs/product-catalogs.service.js';
import { bytesOf } from '../products/product.rules.js';
import { ProductStore } from '../products/product-store.service.js';
import { readProduct } from '../products/read-product.js';
import { LongFetches } from './long-fetches.js';
import { FeedReport, problemOf } from './feed-report.js';
import { claimDueFeed } from './scheduled-feeds.statements.js';
import { dueAfter } from './scheduled-feeds.service.js';

/** When another process begins again after one that was killed. */
const LEASE_MS = 3 * MINUTE_MS;
/** Pause between two prolongations of the lease, by the machine's time: a file may have no rows to store for long. */
const BEAT_MS = 30_000;
/** How long a fetch takes at most, by the machine's time. */
const MAX_MS = 50 * MINUTE_MS;
/** A batch is one transaction, which locks the catalog. */
const BATCH_ROWS = 250;
const BATCH_BYTES = 500_000;
/** Pause between two stores of the report while a fetch runs, by the machine's time. */
const REPORT_MS = 5_000;
/** Pause before a fetch is repeated that may succeed later; each further one is twice as long. */
const RETRY_MS = 5 * MINUTE_MS;
const MAX_RETRIES = 3;

/** Why a fetch ended so that others do not wait for it. */
const CROWDED = 'The fetch takes long, and so do those of other feeds. It will be repeated.';

/** The feed was changed or deleted, or another process has begun. */
class ClaimLost extends Error {}

/** Rows that are stored together. Of those with the same id it has the last one. */
interface Batch {
  products: Map<string, { row: number; attributes: ProductAttributes }>;
  /** Rows that a later one with the same id replaces. */
  replaced: number;
  bytes: number;
}

const idOf = ({ id }: FeedRow['values']): string | null => (id as string | undefined) ?? null;

const emptyBatch = (): Batch => ({ products: new Map(), replaced: 0, bytes: 0 });

/** A claimed feed, and what its fetch has done so far. */
interface Run {
  feed: Row<ScheduledFeed>;
  report: FeedReport;
  signal: AbortSignal;
  reportedAt: number;
}

/** Fetches feeds and stores their products in batches. */
@Injectable()
export class FeedFetches {
  private readonly logger = new Logger('ScheduledFeeds');

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly source: FeedSource,
    private readonly catalogs: ProductCatalogsService,
    private readonly store: ProductStore,
    private readonly longFetches: LongFetches,
  ) {}

  /** Fetches the feed that has been due longest. False if none is due. */
  async fetchNext(signal: AbortSignal): Promise<boolean> {
    const claim = randomUUID();
    const now = this.clock.now();
    const feed = await claimDueFeed(this.db.manager, {
      now: now.toISOString(),
      until: new Date(now.getTime() + LEASE_MS).toISOString(),
      claim,
    });
    if (!feed) return false;
    await this.fetch(feed, signal);
    return true;
  }

  private async fetch(feed: Row<ScheduledFeed>, signal: AbortSignal): Promise<void> {
    const deadline = AbortSignal.timeout(MAX_MS);
    const lost = new AbortController();
    const watched = this.longFetches.begin();
    let file: FeedRows | undefined;
    const report = new FeedReport(this.clock.now().toISOString(), () => file?.ignored ?? new Set());
    const run: Run = {
      feed,
      report,
      signal: AbortSignal.any([signal, deadline, lost.signal, watched.signal]),
      reportedAt: performance.now(),
    };
    const beat = setInterval(() => void this.beat(run).catch(() => lost.abort()), BEAT_MS);
    try {
      if (feed.failures > MAX_RETRIES)
        throw new FeedFailure('The service ended several times while it fetched the file.');
      await this.prolong(this.db.manager, run, true);
      await this.assertCatalog(feed);
      const text = feedText(await this.source.open(feed.feedUrl, run.signal), run);
      file = feed.feedFormat === 'XML' ? xmlRows(text) : delimitedRows(text, feed.feedFormat === 'CSV' ? ',' : '\t');
      await this.storeAll(run, file.rows);
      await this.end(run);
    } catch (error) {
      if (error instanceof ClaimLost || lost.signal.aborted) return;
      if (signal.aborted) await this.giveBack(run);
      else if (deadline.aborted)
        await this.end(run, new FeedFailure(`The fetch took longer than ${MAX_MS / MINUTE_MS} minutes.`));
      else if (watched.signal.aborted) await this.end(run, new FeedFailure(CROWDED, true));
      else await this.end(run, this.failureOf(feed, error));
    } finally {
      watched.end();
      clearInterval(beat);
      // a file that is not read to its end keeps its connection open
      lost.abort();
    }
  }

  /** Ends the fetch of a deleted catalog, and deletes the feed: a replica of the previous release deletes catalogs without their feeds. */
  private async assertCatalog(feed: Row<ScheduledFeed>): Promise<void> {
    const { manager } = this.db;
    const { catalogId, userId } = feed;
    if (await rows(manager, ProductCatalog).where('id', catalogId).where('userId', userId).getExists()) return;
    await claimed(manager, feed).delete();
    throw new ClaimLost();
  }

  /** Rejects if the claim is lost. Other failures do not end the fetch: the next beat comes before the lease ends. */
  private async beat(run: Run): Promise<void> {
    await this.prolong(this.db.manager, run).catch((error: unknown) => {
      if (error instanceof ClaimLost) throw error;
    });
  }

  /** Reads the next batch while one is stored. */
  private async storeAll(run: Run, all: AsyncIterable<FeedRow>): Promise<void> {
    let batch = emptyBatch();
    let storing = Promise.resolve();
    const storeBatch = async () => {
      await storing;
      run.signal.throwIfAborted();
      storing = this.storeBatch(run, batch);
      // the next wait for it throws
      storing.catch(() => undefined);
      batch = emptyBatch();
    };
    try {
      for await (const row of all) {
        this.add(run, batch, row);
        await nextSlice();
        if (batch.products.size >= BATCH_ROWS || batch.bytes >= BATCH_BYTES) await storeBatch();
      }
      await storeBatch();
    } finally {
      await storing;
    }
  }

  private add({ report }: Run, batch: Batch, { number, values, problem }: FeedRow): void {
    report.rows++;
    if (problem !== undefined)
      return report.reject(number, idOf(values), [{ code: 'INVALID_PARAMETER', message: problem, parameter: null }]);
    const { id, attributes, errors } = readProduct(values, 0);
    if (!attributes) return report.reject(number, id, errors.map(problemOf));
    const key = String(attributes.id);
    if (batch.products.has(key)) batch.replaced++;
    batch.products.set(key, { row: number, attributes });
    batch.bytes += bytesOf(attributes);
  }

  private async storeBatch(run: Run, { products, replaced }: Batch): Promise<void> {
    const { feed, report } = run;
    const entries = [...products.values()];
    if (entries.length === 0) return this.prolong(this.db.manager, run);
    const stored = await whenUnlocked(() =>
      this.catalogs.changing(this.db.manager, feed.userId, feed.catalogId, {}, async (tx, catalog) => {
        await this.prolong(tx, run);
        return this.store.upsertSome(
          tx,
          catalog,
          entries.map(({ attributes }) => attributes),
        );
      }),
    ).catch(async (error: unknown) => {
      await this.assertCatalog(feed);
      throw error;
    });
    report.updated += replaced;
    for (const [index, result] of stored.entries()) {
      if (result.status === 'CREATE_SUCCESS') report.created++;
      if (result.status === 'UPDATE_SUCCESS') report.updated++;
      if (result.status === 'NO_CHANGE') report.unchanged++;
      if (result.status === 'ERROR')
        report.reject(entries[index].row, String(entries[index].attributes.id), [problemOf(result.error)]);
    }
  }

  /** Keeps the claim, and stores the report from time to time. Throws if the claim is lost. */
  private async prolong(db: EntityManager, run: Run, reports = false): Promise<void> {
    const now = performance.now();
    const isDue = reports || now - run.reportedAt >= REPORT_MS;
    if (isDue) run.reportedAt = now;
    const kept = await claimed(db, run.feed).update({
      claimedUntil: new Date(this.clock.ms() + LEASE_MS).toISOString(),
      ...(isDue && { lastFetch: run.report.toFetch('RUNNING', null) }),
    });
    if (kept.length === 0) throw new ClaimLost();
  }

  /** Ends a fetch and schedules the next one. */
  private async end(run: Run, failure?: FeedFailure): Promise<void> {
    const { feed, report } = run;
    const now = this.clock.now();
    const failures = failure?.isPassing ? feed.failures + 1 : 0;
    const next = dueAfter(feed, now);
    const retry = new Date(now.getTime() + RETRY_MS * 2 ** (failures - 1)).toISOString();
    const ended = { at: now.toISOString(), error: failure?.message };
    await this.release(run, {
      failures: failures > MAX_RETRIES ? 0 : failures,
      dueAt: failures > 0 && failures <= MAX_RETRIES && retry < next ? retry : next,
      lastFetch: report.toFetch(failure ? 'FAILED' : 'DONE', ended),
    });
  }

  /** Another process begins at once. */
  private giveBack(run: Run): Promise<void> {
    return this.release(run, {});
  }

  /** Gives up the claim, if it is not lost. */
  private async release({ feed }: Run, changes: Partial<Row<ScheduledFeed>>): Promise<void> {
    await claimed(this.db.manager, feed).update({ claim: null, claimedUntil: null, ...changes });
  }

  private failureOf(feed: Row<ScheduledFeed>, error: unknown): FeedFailure {
    if (error instanceof FeedFailure) return error;
    this.logger.error(`The scheduled feed ${feed.id} could not be stored: ${failureReasonOf(error)}`);
    return new FeedFailure('The service could not store the products.', true);
  }
}

/** The feed, while it has the claim that it was read with. */
const claimed = (db: EntityManager, { id, claim }: Row<ScheduledFeed>) =>
  rows(db, ScheduledFeed).where('id', id).where('claim', claim);
