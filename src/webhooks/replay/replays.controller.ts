import { Get, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiResponse } from '@nestjs/swagger';
import { BearerController, RefundsBadRequests } from '../../auth/guards/bearer-controller.js';
import { CurrentBearer } from '../../auth/guards/bearer.guard.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { OutsideTransaction } from '../../auth/idempotency/idempotency.interceptor.js';
import type { Bearer } from '../../auth/bearers/bearers.service.js';
import { Returns, ReturnsFields } from '../../common/http/answers/returns.js';
import { JsonBody } from '../../common/http/params/params.js';
import { presentReplay, presentStarted, ReplayJobView } from './replay.presenter.js';
import { StartReplay } from './replays.dto.js';
import { ReplaysService } from './replays.service.js';

/** Replay jobs, which resend events. */
@BearerController('webhooks/replay', { tag: 'Webhooks', writeQuota: 'WEBHOOK_REPLAYS' })
export class ReplaysController {
  constructor(private readonly replays: ReplaysService) {}

  /**
   * Starts a job that resends the events of a time window to a webhook: those that were delivered to it or attempted.
   * The webhook must pass a challenge first. A webhook has one job at a time, and receives `replay_job_status` when the
   * job ends.
   */
  @Post()
  @HttpCode(200)
  @OutsideTransaction()
  @Policy({ body: 'json', refundsBadRequests: true })
  @UseInterceptors(RefundsBadRequests)
  @RouteConfig({ takesJsonOnly: true })
  @ApiResponse({ status: 409, description: 'A replay of the webhook is running.' })
  @ReturnsFields({
    created_at: { about: 'When the job was requested, with milliseconds.', example: '2026-09-01T10:00:00.000Z' },
    job_id: { about: 'The id of the job.', example: '1790000000000001' },
  })
  async start(@CurrentBearer() bearer: Bearer, @JsonBody() params: StartReplay) {
    return presentStarted(await this.replays.start(bearer, params));
  }

  /** Retrieves the status of a replay job. The webhook must belong to the application and may be deleted. */
  @Get(':job_id')
  @Returns(ReplayJobView)
  async get(@CurrentBearer() bearer: Bearer, @Param('job_id') id: string) {
    return presentReplay(await this.replays.find(bearer, id));
  }
}
