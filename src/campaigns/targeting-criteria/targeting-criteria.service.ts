import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { Batch } from '../../common/batch/batch.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import { definedErrors, throwErrors, type ApiError } from '../../common/errors/api-error.js';
import type { Page } from '../../common/http/answers/page.js';
import type { BatchResult } from '../../common/http/answers/results.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { isNeeded } from '../criterion-sets/targeting-criteria.rules.js';
import {
  isRevisionConflict,
  lockSets,
  setsOf,
  setsUnchanged,
} from '../criterion-sets/targeting-criteria.statements.js';
import { TARGETING_CRITERIA, type TargetingCriterion } from '../criterion-sets/targeting-criterion.entity.js';
import { lineItemsAreAlive } from '../line-items/line-item-parents.statements.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { TargetingValues } from '../targeting-values/targeting-values.service.js';
import { CriterionJudgement, type CreateRequest, type CriterionOutcome } from './criterion-judgement.js';
import {
  TARGETING_CRITERION_OPERATIONS,
  type CreateTargetingCriterion,
  type ListTargetingCriteria,
} from './targeting-criteria.dto.js';

const MAX_BATCH_SIZE = 500;

type CriterionRow = Row<TargetingCriterion>;

/** A criterion after a write. `isNew` is false if the line item already had it. */
export interface WrittenCriterion {
  criterion: CriterionRow;
  isNew: boolean;
}

/** The criteria of all requests, validated together with the stored ones of their line items. */
interface Judged {
  outcomes: ReadonlyMap<CreateRequest, CriterionOutcome>;
  /** Why criteria cannot be deleted, by id. */
  needed: ReadonlyMap<string, ApiError>;
  /** The stored criteria, by id. */
  existing: ReadonlyMap<string, CriterionRow>;
  created: Map<CreateRequest, CriterionRow>;
}

/** The targeting criteria of line items: whom ads are shown to, and next to which content. */
@Injectable()
export class TargetingCriteriaService {
  constructor(
    private readonly lineItems: ParentLineItems,
    private readonly resources: Resources,
    private readonly values: TargetingValues,
  ) {}

  async list(account: ActingAccount, query: ListTargetingCriteria): Promise<Page<CriterionRow>> {
    const criteria = this.resources.of(account, TARGETING_CRITERIA).whereIn('id', query.targeting_criterion_ids);
    const { line_item_ids: ids } = query;
    if (query.with_deleted) criteria.whereIn('lineItemId', ids);
    else criteria.whereInSmallSubquery('lineItemId', this.lineItems.shown(account).whereIn('id', ids), 'id');
    return page(criteria, query);
  }

  get(account: ActingAccount, id: string, query: OneQuery): Promise<CriterionRow> {
    return this.lineItems.getBelonging(account, TARGETING_CRITERIA, id, query);
  }

  /** Creates a criterion, or returns the existing equal one of the line item. */
  create(account: ActingAccount, request: Parsed<CreateTargetingCriterion>): Promise<WrittenCriterion> {
    return this.changeSets(account, [request], async (unit) =>
      createCriterion(unit, request, await this.judge(unit, [request])),
    );
  }

  /** Rejects the deletion of a criterion that others need. Delete those first. */
  delete(account: ActingAccount, id: string): Promise<CriterionRow> {
    return this.resources.changeLocked(account, TARGETING_CRITERIA, [], async (unit) => {
      await this.lockToDelete(unit, [id]);
      return deleteCriterion(unit, id, await this.judge(unit, []));
    });
  }

  /** Up to 500 operations, all or none. The final set of criteria of a line item is validated. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<CriterionRow>> {
    const path = { account_id: account.id };
    const batch = await Batch.readLarge(body, MAX_BATCH_SIZE, TARGETING_CRITERION_OPERATIONS, path, []);
    return this.changeSets(account, batch, async (unit) => {
      await this.lockToDelete(unit, batch.values('Delete', 'targeting_criterion_id'));
      const judged = await this.judge(unit, batch.requests('Create'));
      return unit.each(batch, {
        Create: (request) => createCriterion(unit, request, judged).criterion,
        Delete: (request) => deleteCriterion(unit, request.required('targeting_criterion_id'), judged),
      });
    });
  }

  /**
   * Criteria are usually validated against a set without a lock, and stored only if the set is still unchanged. If
   * another request was faster, they are validated again in a transaction that holds a lock.
   */
  private async changeSets<R>(
    account: ActingAccount,
    requests: readonly CreateRequest[] | Batch<typeof TARGETING_CRITERION_OPERATIONS>,
    work: (unit: UnitOfWork<TargetingCriterion>) => Promise<R>,
  ): Promise<R> {
    try {
      return await this.resources.change(account, TARGETING_CRITERIA, requests, work);
    } catch (error) {
      if (!isRevisionConflict(error)) throw error;
    }
    return this.resources.changeLocked(account, TARGETING_CRITERIA, requests, work);
  }

  /** Criteria of deleted line items are only listed together with deleted ones, and cannot be deleted. */
  private lockToDelete(unit: UnitOfWork<TargetingCriterion>, ids: string[]): Promise<CriterionRow[]> {
    const narrow = (criteria: Rows<TargetingCriterion>) => this.lineItems.ofShown(unit.account, criteria);
    return unit.lock(ids, { mode: 'pessimistic_write', narrow });
  }

  /** Validates new criteria, and the deletion of the locked ones, together with the other criteria of their line items. */
  private async judge(unit: UnitOfWork<TargetingCriterion>, requests: readonly CreateRequest[]): Promise<Judged> {
    const { account, db } = unit;
    const stored = [...unit.stored.values()];
    const reduced = new Set(stored.filter((row) => isNeeded(row.targetingType)).map((row) => row.lineItemId));
    const ids = new Set([...requests.flatMap((request) => request.value('line_item_id') ?? []), ...reduced]);
    if (unit.isLocking && ids.size > 0) await lockSets(db, account.id, ids);

    const { values, required } = await this.valuesOf(account, requests, db);
    const judgement = new CriterionJudgement(account, requests, values, new Set(stored.map(({ id }) => id)));
    for await (const set of setsOf(db, account.id, ids)) judgement.judge(set, reduced.has(set.lineItemId));
    judgement.refuseUnknown();
    const { outcomes, needed, extended, depended } = judgement;

    const found = [...outcomes.values()].flatMap((outcome) => ('existing' in outcome ? [outcome.existing] : []));
    const existing = await this.byId(unit, found);
    if (!unit.isLocking && depended.length > 0) unit.addWrite(setsUnchanged(account.id, depended));
    if (extended.length > 0) unit.require(...required, lineItemsAreAlive(account.id, extended));
    return { outcomes, needed, existing, created: new Map() };
  }

  /** The targeting values or their problems, by request, with the precondition that the named rows remain. */
  private async valuesOf(account: ActingAccount, requests: readonly CreateRequest[], db: EntityManager) {
    const readable = requests.filter((request) => request.known('targeting_type', 'targeting_value'));
    const given = readable.map((request) => request.known('targeting_type', 'targeting_value')!);
    const { values, required } = await this.values.resolve(account, given, db);
    return { values: new Map(readable.map((request, i) => [request, values[i]])), required };
  }

  private async byId(unit: UnitOfWork<TargetingCriterion>, ids: readonly string[]): Promise<Map<string, CriterionRow>> {
    if (ids.length === 0) return new Map();
    const wanted = [...new Set(ids)];
    const rows = await this.resources.of(unit.account, TARGETING_CRITERIA, unit.db).whereIn('id', wanted).getMany();
    // One of them was deleted after the set was read.
    if (rows.length < wanted.length) unit.retry();
    return new Map(rows.map((row) => [row.id, row]));
  }
}

function createCriterion(
  unit: UnitOfWork<TargetingCriterion>,
  request: CreateRequest,
  { outcomes, existing, created }: Judged,
): WrittenCriterion {
  const outcome = outcomes.get(request);
  request.paramsUnless(outcome && 'problems' in outcome ? outcome.problems : []);
  const accepted = outcome as Exclude<CriterionOutcome, { problems: unknown }>;
  if ('existing' in accepted) return { criterion: existing.get(accepted.existing)!, isNew: false };
  if ('same' in accepted) return { criterion: created.get(accepted.same)!, isNew: false };
  const criterion = unit.create(accepted.fields);
  created.set(request, criterion);
  return { criterion, isNew: true };
}

function deleteCriterion(unit: UnitOfWork<TargetingCriterion>, id: string, { needed }: Judged): CriterionRow {
  const { id: found } = unit.find(id);
  throwErrors(definedErrors(needed.get(found)));
  return unit.delete(found);
}
