import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { unavailable } from '../../errors/catalogue.js';
import type { Metrics } from '../../metrics/metrics.js';
import { familyOf } from '../urls/public-urls.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether it counts as in progress; undefined while its body arrives. */
    isUnderway?: boolean;
  }
  interface FastifyInstance {
    /** The requests in progress, and those that are delayed on purpose. */
    requestLoad: RequestLoad;
  }
}

/** The endpoints of load balancers and monitoring. */
const WATCHED = /^\/(health\/|metrics|version)/;

/** Maximum number of requests of a process that are delayed at a time. */
const MAX_DELAYED = 500;
/** Interval of checks whether the process stops. */
const CHECK_MS = 500;

/**
 * Counts requests in progress. A request counts once its body has arrived: before that it costs little more than its
 * connection.
 */
export class RequestLoad {
  /** Number of requests that are delayed. */
  delayed = 0;

  constructor(
    private readonly metrics: Metrics,
    private readonly max: number,
    private readonly stopping: () => boolean,
    private readonly mostDelayed = MAX_DELAYED,
  ) {
    metrics.gauge('http_requests_delayed', 'Requests that a fault of the workbench delays', () => this.delayed);
  }

  begin(request: FastifyRequest): void {
    if (request.isUnderway === undefined) this.count(request);
  }

  finish(request: FastifyRequest): void {
    if (request.isUnderway) this.metrics.ended();
    request.isUnderway = false;
  }

  /** Whether the limit is reached, without this request. Health checks are always answered. */
  isFull(request: FastifyRequest): boolean {
    return this.metrics.underway - (request.isUnderway ? 1 : 0) >= this.max && !WATCHED.test(request.url);
  }

  /**
   * Resolves after this time, or earlier when the process stops. Meanwhile the request does not count as in progress.
   * Throws 503 if too many requests are delayed already, and if the client disconnects.
   */
  async delay(request: FastifyRequest, ms: number): Promise<void> {
    const { socket } = request.raw;
    if (this.delayed >= this.mostDelayed)
      throw unavailable(familyOf(request.url) === 'ads').because('too-many-delayed');
    const disconnected = new AbortController();
    const onClose = () => disconnected.abort();
    socket.once('close', onClose);
    this.finish(request);
    this.delayed++;
    try {
      for (let left = ms; left > 0 && !socket.destroyed && !this.stopping(); left -= CHECK_MS)
        await pause(Math.min(left, CHECK_MS), undefined, { signal: disconnected.signal }).catch(() => undefined);
    } finally {
      this.delayed--;
      socket.off('close', onClose);
    }
    if (socket.destroyed) throw unavailable(familyOf(request.url) === 'ads').because('disconnected');
    this.count(request);
  }

  private count(request: FastifyRequest): void {
    request.isUnderway = true;
    this.metrics.began();
  }
}
