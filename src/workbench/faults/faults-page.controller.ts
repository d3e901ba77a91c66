import { Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import { formFieldsOf, queryParametersOf } from '../../common/http/bodies/single-fields.js';
import { readParams } from '../../common/http/params/params.js';
import { TrialEventsService } from '../../webhooks/deliveries/trial-events.service.js';
import { WEBHOOK_FAULTS } from '../../webhooks/deliveries/delivery-faults.js';
import { WebhooksService } from '../../webhooks/endpoints/webhooks.service.js';
import { SectionController } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import { presentFault, type FaultView } from './fault.presenter.js';
import { CONNECTION_FAULTS, FAULT_PHASES, MAX_FAULTS } from './fault.entity.js';
import { CreateFault } from './faults.dto.js';
import { FaultsService } from './faults.service.js';

/** The faults of an application in a browser. */
@SectionController('faults')
export class FaultsPageController {
  constructor(
    private readonly faults: FaultsService,
    private readonly webhooks: WebhooksService,
    private readonly trials: TrialEventsService,
    private readonly pages: WorkbenchPages,
  ) {}

  @Get()
  async list(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.show(reply, visit);
  }

  /** Creates a fault. */
  @Post()
  async create(@Res() reply: FastifyReply) {
    await this.pages.carryOut(
      reply,
      'faults',
      async ({ application }) => {
        const { params, refused } = readParams(CreateFault, filledFieldsOf(reply), true);
        if (refused) throw refused;
        const { fault } = await this.faults.create(application.id, params);
        return `?created=${fault.id}`;
      },
      (visit, error) => this.show(reply, visit, error),
    );
  }

  /** Deletes all faults. */
  @Post('clear')
  async clear(@Res() reply: FastifyReply) {
    await this.pages.carryOut(
      reply,
      'faults',
      async ({ application }) => {
        const { items } = await this.faults.list(application.id, { max_results: MAX_FAULTS });
        for (const { fault } of items) await this.deleteUnlessGone(application.id, fault.id);
      },
      (visit, error) => this.show(reply, visit, error),
    );
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

  /** Another request may delete the same fault. */
  private async deleteUnlessGone(applicationId: string, faultId: string): Promise<void> {
    try {
      await this.faults.delete(applicationId, faultId);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
  }

  private async show(reply: FastifyReply, visit: Visit, error?: ApiError): Promise<void> {
    const [{ items }, webhooks, kinds] = await Promise.all([
      this.faults.list(visit.application.id, { max_results: MAX_FAULTS }),
      this.webhooks.list(visit.application.id),
      this.trials.kinds(),
    ]);
    const { created } = queryParametersOf(reply.request);
    await this.pages.show(reply, visit, {
      section: 'faults',
      template: 'faults/faults',
      title: 'Faults',
      status: error?.status,
      isLive: true,
      data: {
        faults: items.map((stored) => lineOf(presentFault(stored))),
        created: items.some(({ fault }) => fault.id === created) ? created : undefined,
        error: error?.message,
        given: error ? filledFieldsOf(reply) : {},
        operations: this.faults.knownOperations().map(({ id, routes }) => ({ id, route: routes[0] })),
        connections: CONNECTION_FAULTS,
        phases: FAULT_PHASES,
        webhookFaults: WEBHOOK_FAULTS,
        webhooks: webhooks.map(({ id, url }) => ({ id, url })),
        kinds,
      },
    });
  }
}

/** The fields of a form that are filled in. A form sends the others, too. */
const filledFieldsOf = (reply: FastifyReply): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(formFieldsOf(reply.request)).filter(([, value]) => value?.trim() !== ''));

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
    state: fault.active ? 'active' : fault.probability === 0 ? 'never applies' : 'ended',
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
