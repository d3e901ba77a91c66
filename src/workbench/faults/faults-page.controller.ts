import { Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import { presentFault, type FaultView } from './fault.presenter.js';
import { MAX_FAULTS } from './fault.entity.js';
import { FaultsService } from './faults.service.js';

/** The faults of an application in a browser. */
@SectionController('faults')
export class FaultsPageController {
  constructor(
    private readonly faults: FaultsService,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async list(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.show(reply, visit);
  }

  /** Deletes a fault. */
  @Post(':fault_id/delete')
  async delete(@Param('fault_id') faultId: string, @Res() reply: FastifyReply) {
    await this.pages.carryOut(
      reply,
      'faults',
      ({ application }) => this.faults.delete(application.id, faultId),
      (visit, error) => this.show(reply, visit, error),
    );
  }

  private async show(reply: FastifyReply, visit: Visit, error?: ApiError): Promise<void> {
    const { items } = await this.faults.list(visit.application.id, { max_results: MAX_FAULTS });
    await this.pages.show(reply, visit, {
      section: 'faults',
      template: 'faults/faults',
      title: 'Faults',
      status: error?.status,
      isLive: true,
      data: { faults: items.map((stored) => lineOf(presentFault(stored))), error: error?.message },
    });
  }
}

/** What a fault does, in a few words. */
function lineOf(fault: FaultView) {
  const { latency_ms: latency, error_status: status, error_code: code, rate_limit_remaining: remaining } = fault;
  const effects = [
    ...(latency === null ? [] : [`latency of ${latency} ms`]),
    ...(status === null ? [] : [code === null ? `error ${status}` : `error ${status} ${code}`]),
    ...(fault.fault === null ? [] : [fault.fault]),
    ...(remaining === null ? [] : [`rate limit with ${remaining} remaining`]),
  ];
  const isOfRequests = fault.webhook_fault === null;
  const concerned = isOfRequests ? 'requests' : 'deliveries';
  return {
    ...fault,
    subject: isOfRequests ? (fault.operation ?? 'all operations') : subjectOf(fault),
    effects: isOfRequests ? effects.join(', ') : deliveryEffectOf(fault),
    share: fault.probability < 1 ? `${Number((fault.probability * 100).toFixed(2))} % of ${concerned}` : '',
  };
}

/** Which deliveries a fault concerns, in a few words. */
const subjectOf = ({ event, webhook_id: webhook }: FaultView): string =>
  `${event === null ? 'all events' : event} to ${webhook === null ? 'all webhooks' : `webhook ${webhook}`}`;

function deliveryEffectOf({ webhook_fault: kind, latency_ms: latency }: FaultView): string {
  const after = latency === null ? '' : ` after ${latency} ms`;
  const effects: Record<NonNullable<FaultView['webhook_fault']>, string> = {
    DELAY: `sent${after}`,
    DROP: 'dropped',
    DUPLICATE: `sent twice${latency === null ? '' : `, again${after}`}`,
    REORDER: `sent after the next event${latency === null ? '' : `, at the latest${after}`}`,
    INVALID_SIGNATURE: 'sent with wrong signatures',
  };
  return effects[kind!];
}
