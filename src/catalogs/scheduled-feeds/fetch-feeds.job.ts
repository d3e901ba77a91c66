import { Injectable, type OnModuleInit } from '@nestjs/common';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { MINUTE_MS } from '../../common/time/days.js';
import { FeedFetches } from './feed-fetches.service.js';

/**
 * No retries: the next run starts in a few seconds. A run fetches one feed after the other. One more runs than may take
 * long (`LongFetches`).
 */
const FETCH_FEEDS = defineJob('fetch-feeds', { timeoutSeconds: 3_600, retries: 0, concurrency: 3 });

const EVERY_SECONDS = 5;
/** A run begins no feed after this time, so that the last one ends before the run does. */
const BEGINS_MS = 5 * MINUTE_MS;

/** Fetches feeds that are due, each in one process, and once however many times it has missed. */
@Injectable()
export class FetchFeedsJob implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly fetches: FeedFetches,
  ) {}

  onModuleInit(): void {
    this.jobs.work(FETCH_FEEDS, (_, { signal }) => this.fetchDue(signal));
    this.jobs.schedule(FETCH_FEEDS, { everySeconds: EVERY_SECONDS });
  }

  /** Fetches all feeds that are due. */
  async fetchDue(signal: AbortSignal): Promise<void> {
    const end = performance.now() + BEGINS_MS;
    while (!signal.aborted && performance.now() < end && (await this.fetches.fetchNext(signal)));
  }
}
