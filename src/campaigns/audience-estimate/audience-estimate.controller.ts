import { OutsideTransaction } from '../../auth/idempotency/idempotency.interceptor.js';
import { HttpCode, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { INSIGHTS_READ } from '../../audiences/audiences.permissions.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { HINT_HEADER } from '../../common/http/hints/hints.js';
import { addToEcho, ParsedBody } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Returns } from '../../common/http/answers/returns.js';
import { EstimateAudience } from './audience-estimate.dto.js';
import { AudienceEstimateView, presentAudienceEstimate } from './audience-estimate.presenter.js';
import { AudienceEstimateService } from './audience-estimate.service.js';

@AccountController('audience_estimate', { tag: 'Insights', reads: INSIGHTS_READ })
export class AudienceEstimateController {
  constructor(private readonly estimates: AudienceEstimateService) {}

  /**
   * Estimates how many users targeting criteria reach. The response does not repeat the criteria: it returns null in
   * their place.
   */
  @Post()
  @OutsideTransaction()
  @HttpCode(200)
  @Policy({ body: 'json', notAWrite: true })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(AudienceEstimateView)
  async estimateAudience(
    @Req() { body, server }: FastifyRequest,
    @CurrentAccount() account: ActingAccount,
    @ParsedBody(EstimateAudience) request: Parsed<EstimateAudience>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    addToEcho(body, { targeting_criteria: null });
    const people = await this.estimates.estimate(account, request);
    const hint = server.hints && (await this.estimates.hintOn(people));
    if (hint !== undefined) void reply.header(HINT_HEADER, hint);
    return presentAudienceEstimate(people);
  }
}
