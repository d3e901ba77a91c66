import { Controller, Get, HttpCode, Inject, Optional, Query, Req, Res } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { skewOf } from '../common/db/clock-skew.js';
import { DATABASE, type Database } from '../common/db/database.js';
import { pageNotFound } from '../common/errors/catalogue.js';
import { networkMatcher, isLoopbackPeer } from '../common/http/urls/public-urls.js';
import { Metrics } from '../common/metrics/metrics.js';
import { RedisLink } from '../common/redis/redis.js';
import { Config, withoutSlash } from '../config/config.js';
import { TestClocksService } from '../workbench/clocks/test-clocks.service.js';
import { FaultsService } from '../workbench/faults/faults.service.js';
import { Lifecycle } from './lifecycle.js';
import { COMMIT, VERSION } from './version.js';

/** Headers of proxies that pass a request on. */
const FORWARDED = ['x-forwarded-for', 'x-real-ip', 'forwarded'];

/** Endpoints for load balancers, monitoring and operators. */
@ApiExcludeController()
@Controller()
export class HealthController {
  private readonly mayReadMetrics: (address: string) => boolean;

  constructor(
    private readonly config: Config,
    @Inject(DATABASE) private readonly database: Database,
    private readonly metrics: Metrics,
    private readonly lifecycle: Lifecycle,
    @Optional() @Inject(RedisLink) private readonly redis: RedisLink | null,
    private readonly modules: ModuleRef,
  ) {
    this.mayReadMetrics = networkMatcher(config.metricsAllow);
  }

  /**
   * Whether the process is alive. It checks no dependency, so that a database outage does not restart every replica.
   */
  @Get('health/live')
  live() {
    return { status: 'ok' };
  }

  /**
   * Whether this replica should receive requests: not while it stops, while its database is unreachable or read-only,
   * or while its clock is more than 2 s off. Redis may be unavailable. With `verbose` it tells how many faults of the
   * workbench are active, and how many accounts have a test clock.
   */
  @Get('health/ready')
  @HttpCode(200)
  async ready(@Res({ passthrough: true }) reply: FastifyReply, @Query('verbose') verbose?: string) {
    const database = await this.database.answers();
    const skew = skewOf(this.database.time?.skewMs);
    const ready = database && skew.state !== 'too much' && !this.lifecycle.stopping;
    reply.status(ready ? 200 : 503).header('cache-control', 'no-store');
    const degraded = this.redis?.trouble;
    const waiting = database ? this.database.commitsWaiting() : 0;
    const { readReplicas } = this.database;
    const tools = verbose !== undefined && database ? await this.workbench() : undefined;
    return {
      status: ready ? 'ok' : 'unavailable',
      database: database ? 'ok' : this.database.isReadOnly() ? 'read-only' : 'away',
      ...(readReplicas && {
        read_replicas: Object.fromEntries(readReplicas.reports.map(({ name, state }) => [name, state])),
      }),
      redis: this.redis?.state ?? 'not configured',
      ...(waiting > 0 && { standby: `${waiting} writes wait for a synchronous standby of PostgreSQL` }),
      ...(skew.text && { clock: skew.text }),
      ...(database && degraded && { degraded }),
      ...(this.lifecycle.stopping && { stopping: true }),
      ...tools,
    };
  }

  /** The numbers of active faults and of test clocks, and what they concern; undefined without the workbench. */
  private async workbench() {
    if (!this.config.workbench) return undefined;
    return {
      faults: await this.modules.get(FaultsService, { strict: false }).countActive(),
      test_clocks: await this.modules.get(TestClocksService, { strict: false }).countAll(),
    };
  }

  /** The name and version of the service, the commit that it was built from, and the base URLs for signatures. */
  @Get('version')
  version() {
    return {
      name: 'marquee',
      version: VERSION,
      commit: COMMIT ?? null,
      api_version: 12,
      node: process.version,
      base_url: withoutSlash(this.config.baseUrl),
      ads_base_url: withoutSlash(this.config.adsBaseUrl),
      ads_sandbox_base_url: withoutSlash(this.config.adsSandboxBaseUrl),
    };
  }

  /**
   * Metrics as Prometheus text, for loopback and METRICS_ALLOW only. The check uses the address of the peer. A request that a
   * proxy passes on is rejected: the proxy may have an address of METRICS_ALLOW, and its client is a stranger.
   */
  @Get('metrics')
  async figures(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const peer = request.raw.socket.remoteAddress ?? '';
    const forwarded = FORWARDED.some((name) => request.headers[name] !== undefined);
    if (forwarded || !(this.mayReadMetrics(peer) || isLoopbackPeer(peer))) throw pageNotFound();
    await reply.type(this.metrics.contentType).send(await this.metrics.text());
  }
}
