import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { Application } from '../../auth/credentials/application.entity.js';
import { Clock } from '../../common/time/clock.js';
import { changeCounters, isLimitReached } from '../../common/db/counters/counters.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import { invalidToken } from '../../common/errors/catalogue.js';
import type { Page } from '../../common/http/answers/page.js';
import { httpOperationsOf, type HttpOperation } from '../../common/http/server/http-operations.js';
import { tokenPage } from '../../common/list/token-page.js';
import { WebhooksService } from '../../webhooks/endpoints/webhooks.service.js';
import { faultLimitReached, faultNotFound, unknownOperation, unknownWebhook } from '../workbench.errors.js';
import { ActiveFaults } from './active-faults.js';
import type { StoredFault } from './fault.presenter.js';
import { COUNTED_FAULTS, Fault, MAX_FAULTS } from './fault.entity.js';
import type { CreateFault, ListFaults } from './faults.dto.js';
import { countActiveFaults, deleteFault, type FaultCounts } from './faults.statements.js';
import { isKnownOperation, readOperation } from './operation-pattern.js';

const RESET_IN_SECONDS = 900;

/** Stores the faults of applications. */
@Injectable()
export class FaultsService {
  private operations?: HttpOperation[];

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly active: ActiveFaults,
    private readonly modules: ModulesContainer,
    private readonly webhooks: WebhooksService,
  ) {}

  async list(applicationId: string, query: ListFaults): Promise<Page<StoredFault>> {
    const found = await tokenPage(this.of(applicationId), query);
    return found.map((fault) => this.stored(fault));
  }

  /** A fault of this application; 404 for any other. */
  async get(applicationId: string, id: string): Promise<StoredFault> {
    const fault = await this.of(applicationId).where('id', id).getOne();
    if (!fault) throw faultNotFound(id);
    return this.stored(fault);
  }

  /** Stores a fault. Requests that arrive later meet it, and attempts to deliver that begin later. */
  async create(applicationId: string, params: CreateFault): Promise<StoredFault> {
    const definition = this.defined(params);
    await this.requireWebhook(applicationId, params.webhook_id);
    const fault = await retrying(async () => {
      const now = this.clock.now();
      const time = now.toISOString();
      const row: Row<Fault> = { id: newId(now), applicationId, createdAt: time, updatedAt: time, ...definition };
      await write(
        this.db.manager,
        [
          insert(Fault, [row]),
          ...changeCounters([{ ownerId: applicationId, kind: COUNTED_FAULTS, by: 1, limit: MAX_FAULTS }]),
        ],
        [exists(Application, { id: applicationId }, invalidToken)],
      );
      return row;
    }).catch((error: unknown) => {
      throw isLimitReached(error) ? faultLimitReached(MAX_FAULTS) : error;
    });
    await this.active.invalidate(applicationId);
    return this.stored(fault);
  }

  /** Replaces a fault of this application, which starts again. */
  async replace(applicationId: string, id: string, params: CreateFault): Promise<StoredFault> {
    const definition = this.defined(params);
    await this.requireWebhook(applicationId, params.webhook_id);
    const { fault: known } = await this.get(applicationId, id);
    const updatedAt = nextUpdatedAt(known.updatedAt, this.clock.now());
    const [fault] = await this.of(applicationId)
      .where('id', id)
      .update({ ...definition, updatedAt });
    if (!fault) throw faultNotFound(id);
    await this.active.invalidate(applicationId);
    return this.stored(fault);
  }

  /** Deletes a fault of this application. */
  async delete(applicationId: string, id: string): Promise<void> {
    if (!(await deleteFault(this.db.manager, applicationId, id))) throw faultNotFound(id);
    await this.active.invalidate(applicationId);
  }

  /** The number of faults of all applications that can still apply. */
  countActive(): Promise<FaultCounts> {
    return countActiveFaults(this.db.manager, this.clock.now().toISOString());
  }

  private of(applicationId: string) {
    return rows(this.db.manager, Fault).where('applicationId', applicationId);
  }

  private stored(fault: Row<Fault>): StoredFault {
    const { times, appliedCount, probability, expiresAt } = fault;
    const canApply = probability > 0 && (times === null || appliedCount < times);
    return { fault, isActive: canApply && Date.parse(expiresAt) > this.clock.ms() };
  }

  /** The columns of a fault that has not been applied yet; 400 for an unknown operation. */
  private defined(params: CreateFault): Omit<Row<Fault>, 'id' | 'applicationId' | 'createdAt' | 'updatedAt'> {
    const { operation, latency_ms: latency, rate_limit_remaining: remaining } = params;
    if (operation !== undefined) this.requireKnown(operation);
    const later = (seconds: number) => new Date(this.clock.ms() + seconds * 1_000).toISOString();
    const resetIn = params.rate_limit_reset_in ?? RESET_IN_SECONDS;
    const isLimit = remaining !== undefined;
    return {
      expiresAt: later(isLimit ? Math.min(params.ttl, resetIn) : params.ttl),
      operation: operation ?? null,
      accountId: params.account_id ?? null,
      probability: params.probability,
      times: params.times ?? null,
      appliedCount: 0,
      lastAppliedAt: null,
      applied: params.applied,
      minLatencyMs: latency?.min ?? null,
      maxLatencyMs: latency?.max ?? null,
      errorStatus: params.error_status ?? null,
      errorCode: params.error_code ?? null,
      fault: params.fault ?? null,
      rateLimitRemaining: remaining ?? null,
      rateLimitResetAt: isLimit ? later(resetIn) : null,
      webhookFault: params.webhook_fault ?? null,
      webhookId: params.webhook_id ?? null,
      event: params.event ?? null,
    };
  }

  /** 400 for a webhook that this application does not have. */
  private async requireWebhook(applicationId: string, id: string | undefined): Promise<void> {
    if (id === undefined) return;
    const own = (await this.webhooks.list(applicationId)).map((webhook) => webhook.id);
    if (!own.includes(id)) throw unknownWebhook(id, own);
  }

  /** The operations that faults can concern: those outside of the workbench. */
  knownOperations(): readonly HttpOperation[] {
    this.operations ??= httpOperationsOf(this.modules).filter(
      ({ routes }) => !routes.some((route) => /^\w+ \/(workbench\/|mcp$)/.test(route)),
    );
    return this.operations;
  }

  private requireKnown(operation: string): void {
    const known = this.knownOperations();
    if (!isKnownOperation(readOperation(operation), known)) throw unknownOperation(operation, known);
  }
}
