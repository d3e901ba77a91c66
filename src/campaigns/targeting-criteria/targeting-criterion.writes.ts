import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { defineWrite, type WriteScope } from '../../accounts/resources/define-write.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import { presentProblems, type ApiError } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { lineItemsAreAlive } from '../line-items/line-item-parents.statements.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { CriterionJudgement, type CreateRequest, type Outcome } from './criterion-judgement.js';
import type { CreateTargetingCriterion, DeleteTargetingCriterionOperation } from './targeting-criteria.dto.js';
import { isNeeded } from '../criterion-sets/targeting-criteria.rules.js';
import {
  isRevisionConflict,
  lockSets,
  setsOf,
  setsUnchanged,
} from '../criterion-sets/targeting-criteria.statements.js';
import type { TargetingCriterion } from '../criterion-sets/targeting-criterion.entity.js';
import { TARGETING_CRITERIA } from '../criterion-sets/targeting-criterion.resource.js';
import { TargetingValues } from '../targeting-values/targeting-values.service.js';

type CriterionRow = Row<TargetingCriterion>;
type Scope = WriteScope<TargetingCriterion>;
type SentCriterion = Partial<CreateTargetingCriterion & DeleteTargetingCriterionOperation>;

/** A criterion after a write. `isNew` is false if the line item already had it. */
export interface WrittenCriterion {
  criterion: CriterionRow;
  isNew: boolean;
}

/** All criteria of the request, validated together with the stored ones of their line items. */
interface Context {
  outcomes: ReadonlyMap<CreateRequest, Outcome>;
  /** Why criteria cannot be deleted, by id. */
  needed: ReadonlyMap<string, ApiError>;
  /** The stored criteria, by id. */
  existing: ReadonlyMap<string, CriterionRow>;
  created: Map<CreateRequest, CriterionRow>;
}

/** Creates and deletes targeting criteria. They cannot be updated. */
@Injectable()
export class TargetingCriterionWrites {
  constructor(
    private readonly resources: Resources,
    private readonly lineItems: ParentLineItems,
    private readonly values: TargetingValues,
  ) {}

  private readonly context = async (
    scope: Scope,
    _: readonly Parsed<SentCriterion>[],
    creating: readonly Parsed<SentCriterion>[],
  ): Promise<Context> => {
    const { account, unitOfWork, db } = scope;
    const requests = creating as readonly CreateRequest[];
    const stored = [...unitOfWork.stored.values()];
    const reduced = new Set(stored.filter((row) => isNeeded(row.targetingType)).map((row) => row.lineItemId));
    const ids = new Set([...requests.flatMap((request) => request.value('line_item_id') ?? []), ...reduced]);
    const isTransaction = db.queryRunner !== undefined;
    if (isTransaction && ids.size > 0) await lockSets(db, account.id, ids);

    const { values, required } = await this.valuesOf(account, requests, db);
    const judged = new CriterionJudgement(account, requests, values, new Set(stored.map(({ id }) => id)));
    for await (const set of setsOf(db, account.id, ids)) judged.judge(set, reduced.has(set.lineItemId));
    judged.refuseUnknown();
    const { outcomes, needed, extended, depended } = judged;

    const found = [...outcomes.values()].flatMap((outcome) => ('existing' in outcome ? [outcome.existing] : []));
    const existing = await this.byId(account, found, db);
    if (!isTransaction && depended.length > 0) unitOfWork.addWrite(setsUnchanged(account.id, depended));
    if (extended.length > 0) unitOfWork.require(...required, lineItemsAreAlive(account.id, extended));
    return { outcomes, needed, existing, created: new Map() };
  };

  readonly create = defineWrite<TargetingCriterion, CreateTargetingCriterion, Context, WrittenCriterion>(
    TARGETING_CRITERIA,
    {
      context: this.context,
      problems: (request, { outcomes }) => {
        const outcome = outcomes.get(request);
        return outcome && 'problems' in outcome ? [...outcome.problems] : [];
      },
      apply: (unitOfWork, _, { outcomes, existing, created }, __, request) => {
        const outcome = outcomes.get(request) as Exclude<Outcome, { problems: unknown }>;
        if ('existing' in outcome) return { criterion: existing.get(outcome.existing)!, isNew: false };
        if ('same' in outcome) return { criterion: created.get(outcome.same)!, isNew: false };
        const criterion = unitOfWork.create(outcome.fields);
        created.set(request, criterion);
        return { criterion, isNew: true };
      },
    },
  );

  /** Rejects the deletion of a criterion that others need. Delete those first. */
  readonly delete = defineWrite<TargetingCriterion, DeleteTargetingCriterionOperation, Context, WrittenCriterion>(
    TARGETING_CRITERIA,
    {
      target: 'targeting_criterion_id',
      // Criteria of deleted line items are only listed together with deleted ones, and cannot be deleted.
      narrow: (criteria: Rows<TargetingCriterion>, account) => this.lineItems.ofShown(account, criteria),
      locking: () => ({ lock: 'pessimistic_write' }),
      context: this.context,
      problems: (_, { needed }, row) => presentProblems(needed.get(row.id)),
      apply: (unitOfWork, { targeting_criterion_id: id }) => ({ criterion: unitOfWork.delete(id), isNew: false }),
    },
  );

  /** The writes of a batch, by operation type. */
  readonly batch = { Create: this.create, Delete: this.delete };

  /** The targeting values or their problems, by request, with the precondition that the named rows remain. */
  private async valuesOf(account: ActingAccount, requests: readonly CreateRequest[], db: EntityManager) {
    const readable = requests.filter((request) => request.known('targeting_type', 'targeting_value'));
    const given = readable.map((request) => request.known('targeting_type', 'targeting_value')!);
    const { values, required } = await this.values.resolve(account, given, db);
    return { values: new Map(readable.map((request, i) => [request, values[i]])), required };
  }

  private async byId(account: ActingAccount, ids: readonly string[], db: EntityManager) {
    if (ids.length === 0) return new Map<string, CriterionRow>();
    const wanted = [...new Set(ids)];
    const rows = await this.resources.of(account, TARGETING_CRITERIA, db).whereIn('id', wanted).getMany();
    // One of them was deleted after the set was read.
    if (rows.length < wanted.length) throw new ConflictRetry();
    return new Map(rows.map((row) => [row.id, row]));
  }
}

/**
 * Criteria are usually validated against a set without a lock, and stored only if the set is still unchanged. If
 * another request was faster, they are validated again in a transaction that holds a lock.
 */
export async function inOrder<R>(work: (inTransaction: boolean) => Promise<R>): Promise<R> {
  try {
    return await work(false);
  } catch (error) {
    if (!isRevisionConflict(error)) throw error;
  }
  return work(true);
}
