import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { senderOf } from '../../auth/guards/sender.js';
import { PollLoop } from '../../common/concurrency/poll-loop.js';
import { Clock } from '../../common/time/clock.js';
import { BOUNDS, CLASSES, COUNTS } from './request-minute.entity.js';
import { addMinutes, minutesSince, type CountedMinute } from './request-minutes.statements.js';
import { MINUTE_MS } from '../../common/time/days.js';

/** Time between two statements, and maximum number of minutes in one. */
const EVERY_MS = 10_000;
const BATCH = 500;
/** Maximum number of minutes that wait. Beyond it, requests of other applications are not counted. */
const MAX_WAITING = 10_000;

/**
 * Counts the requests of applications by minute, class of status and latency, in memory. One statement in ten seconds adds
 * what was counted to what all replicas counted. What a killed process has not stored is lost.
 */
@Injectable()
export class RequestMinutes implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('RequestMinutes');
  private readonly waiting = new Map<string, CountedMinute & { counts: number[] }>();
  private readonly loop: PollLoop;
  private storing = Promise.resolve();

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {
    this.loop = new PollLoop(
      () => this.flush(),
      (err) => this.failed(err),
      { minMs: EVERY_MS, maxMs: EVERY_MS },
    );
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    await this.flush().catch((err: unknown) => this.failed(err));
  }

  private failed(err: unknown): void {
    this.logger.warn({ err }, 'Counts of requests could not be stored');
  }

  /** Counts an answered request, if its application is known. */
  count(request: FastifyRequest, reply: FastifyReply): void {
    const { application } = senderOf(request);
    if (application === undefined) return;
    const start = Math.floor(this.clock.ms() / MINUTE_MS) * MINUTE_MS;
    const key = `${start} ${application}`;
    let found = this.waiting.get(key);
    if (!found) {
      if (this.waiting.size >= MAX_WAITING) return;
      found = {
        applicationId: application,
        minute: new Date(start).toISOString(),
        counts: new Array<number>(COUNTS).fill(0),
      };
      this.waiting.set(key, found);
    }
    found.counts[Math.min(Math.max(Math.floor(reply.statusCode / 100), CLASSES[0]), CLASSES.at(-1)!) - CLASSES[0]]++;
    const ms = reply.elapsedTime;
    const bucket = BOUNDS.findIndex((bound) => ms <= bound);
    found.counts[CLASSES.length + (bucket < 0 ? BOUNDS.length : bucket)]++;
  }

  /** The minutes of an application from a time on, with those that this process has not stored yet. */
  async since(applicationId: string, time: Date) {
    await this.flush();
    return minutesSince(this.db.manager, applicationId, time.toISOString());
  }

  private flush(): Promise<void> {
    const attempt = this.storing.then(() => this.store());
    this.storing = attempt.catch(() => undefined);
    return attempt;
  }

  private async store(): Promise<void> {
    while (this.waiting.size > 0) {
      const batch = [...this.waiting].slice(0, BATCH);
      for (const [key] of batch) this.waiting.delete(key);
      await addMinutes(
        this.db.manager,
        batch.map(([, minute]) => minute),
      );
    }
  }
}
