import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { UnitOfWork, NewFields } from '../../accounts/resources/unit-of-work.js';
import { Resources, type Plan, type Which } from '../../accounts/resources/resources.service.js';
import { locationAt, type Location } from '../../audiences/locations/locations.js';
import { Batch, type BatchResult } from '../../common/batch/batch.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { ApiError, ApiErrors } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page, type Page } from '../../common/list/page.js';
import { lineItemsAreAlive } from '../line-items/line-item-parents.statements.js';
import { LINE_ITEMS } from '../line-items/line-item.resource.js';
import { LineItemsService } from '../line-items/line-items.service.js';
import type { SetCriterion } from './criterion-set.rules.js';
import {
  operatorOf,
  TARGETING_CRITERION_OPERATIONS,
  type CreateTargetingCriterion,
  type ListTargetingCriteria,
} from './targeting-criteria.dto.js';
import { isNeeded, judge } from './targeting-criteria.rules.js';
import {
  setsUnchanged,
  isRevisionConflict,
  lockSets,
  setsOf,
  type StoredSet,
} from './targeting-criteria.statements.js';
import { TargetingCriterion } from './targeting-criterion.entity.js';
import { TARGETING_CRITERIA } from './targeting-criterion.resource.js';
import { LIMITS } from './targeting-types.js';
import type { ResolvedValue } from './targeting-values.rules.js';
import { TargetingValues } from './targeting-values.service.js';

const MAX_BATCH_SIZE = 500;

type CriterionRow = Row<TargetingCriterion>;

/** What becomes of a criterion that is asked for: it is refused, there already, the same as another one of these, or new. */
type Outcome =
  | { problems: readonly ApiError[] }
  | { existing: CriterionRow }
  | { same: CreateTargetingCriterion }
  | { fields: NewFields<TargetingCriterion> };

/** What a request does to criteria, judged. */
interface Judged {
  outcomes: ReadonlyMap<CreateTargetingCriterion, Outcome>;
  /** Why criteria cannot go, by their ids. */
  needed: ReadonlyMap<string, ApiError>;
}

/** Whom line items are shown to, and beside what. */
@Injectable()
export class TargetingCriteriaService {
  constructor(
    private readonly db: DataSource,
    private readonly lineItems: LineItemsService,
    private readonly resources: Resources,
    private readonly values: TargetingValues,
  ) {}

  async list(account: ActingAccount, query: ListTargetingCriteria): Promise<Page<CriterionRow>> {
    const criteria = this.of(account).whereIn('id', query.targeting_criterion_ids);
    const { line_item_ids: ids } = query;
    if (query.with_deleted) criteria.whereIn('lineItemId', ids);
    else criteria.whereInSmallSubquery('lineItemId', this.lineItems.shown(account).whereIn('id', ids), 'id');
    return page(criteria, query);
  }

  get(account: ActingAccount, id: string, query: OneQuery): Promise<CriterionRow> {
    const criteria = this.lineItems.ofShown(account, this.of(account), query);
    return one(criteria, id, TARGETING_CRITERIA.notFoundError(account), query);
  }

  /** The new criterion, or the same one that the line item has already. */
  create(
    account: ActingAccount,
    params: CreateTargetingCriterion,
  ): Promise<{ criterion: CriterionRow; isNew: boolean }> {
    const work = async (unitOfWork: UnitOfWork<TargetingCriterion>, db: EntityManager) => {
      const { outcomes } = await this.judged(account, unitOfWork, db, [params]);
      const criterion = makerOf(unitOfWork, outcomes)(params);
      return { criterion, isNew: !unitOfWork.empty };
    };
    return inOrder((transaction) => this.resources.edit(account, TARGETING_CRITERIA, [], work, { transaction }));
  }

  /** What is wrong with those parameters of a new criterion that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreateTargetingCriterion>): Promise<ApiError[]> {
    return (await this.problemsOfPartly(account, [parsed]))(parsed);
  }

  /** One that others need is refused: they go first. */
  delete(account: ActingAccount, id: string): Promise<CriterionRow> {
    const work = async (unitOfWork: UnitOfWork<TargetingCriterion>, db: EntityManager) =>
      deleted(unitOfWork, id, await this.judged(account, unitOfWork, db, [], [id]));
    return this.resources.edit(account, TARGETING_CRITERIA, this.held(account, [id]), work, {
      lock: 'pessimistic_write',
    });
  }

  /** Up to 500 operations, all or none; what counts is what a line item has in the end. */
  async batch(account: ActingAccount, body: unknown): Promise<BatchResult<CriterionRow>> {
    const path = { account_id: account.id };
    const batch = await Batch.readLarge(body, MAX_BATCH_SIZE, TARGETING_CRITERION_OPERATIONS, path, []);
    const unwanted = batch.values('Delete', 'targeting_criterion_id');
    const plan = async (
      unitOfWork: UnitOfWork<TargetingCriterion>,
      db: EntityManager,
    ): Promise<Plan<typeof TARGETING_CRITERION_OPERATIONS, TargetingCriterion>> => {
      const judged = await this.judged(account, unitOfWork, db, batch.params('Create'), unwanted);
      const problemsOfPartly = await this.problemsOfPartly(account, batch.partly('Create'), db);
      return {
        steps: {
          Create: makerOf(unitOfWork, judged.outcomes),
          Delete: ({ targeting_criterion_id: id }) => deleted(unitOfWork, id, judged),
        },
        checks: { Create: problemsOfPartly },
      };
    };
    const held = this.held(account, unwanted);
    return inOrder((transaction) =>
      this.resources.batch(account, TARGETING_CRITERIA, batch, held, plan, { transaction }),
    );
  }

  /** The places that line items are targeted at, by line item; none where it is the whole world. */
  async locationsOf(lineItemIds: readonly string[], db = this.db.manager): Promise<Map<string, Location[]>> {
    const criteria = await rows(db, TargetingCriterion)
      .whereIn('lineItemId', lineItemIds)
      .whereLiteral('targetingType', 'LOCATION')
      .whereLiteral('operatorType', 'EQ')
      .limit(LIMITS.locations * lineItemIds.length)
      .getMany();
    const found = new Map(lineItemIds.map((id): [string, Location[]] => [id, []]));
    for (const { lineItemId, targetingValue } of criteria) {
      const location = locationAt(targetingValue);
      if (location) found.get(lineItemId)!.push(location);
    }
    return found;
  }

  /** Whether a line item is targeted at content categories. */
  targetsContentCategories(lineItemId: string, db = this.db.manager): Promise<boolean> {
    return rows(db, TargetingCriterion)
      .where('lineItemId', lineItemId)
      .whereLiteral('targetingType', 'IAB_CATEGORY')
      .getExists();
  }

  /** Judges new criteria, and the going of others, beside those that their line items have; and has the store see to what that depends on. */
  private async judged(
    account: ActingAccount,
    unitOfWork: UnitOfWork<TargetingCriterion>,
    db: EntityManager,
    wanted: readonly CreateTargetingCriterion[],
    unwanted: readonly string[] = [],
  ): Promise<Judged> {
    const gone = unwanted.flatMap((id) => unitOfWork.stored.get(id) ?? []);
    const reduced = new Set(
      gone.filter(({ targetingType }) => isNeeded(targetingType)).map(({ lineItemId }) => lineItemId),
    );
    const ids = new Set([...wanted.map(({ line_item_id: id }) => id), ...reduced]);
    const holds = db.queryRunner !== undefined;
    if (holds && ids.size > 0) await lockSets(db, account.id, ids);

    const { values, required } = await this.values.resolve(account, wanted, db);
    const ofLineItem = new Map<string, number[]>([...ids].map((id) => [id, []]));
    for (const [i, { line_item_id: id }] of wanted.entries()) ofLineItem.get(id)!.push(i);
    const goneIds = new Set(gone.map(({ id }) => id));
    const outcomes = new Map<CreateTargetingCriterion, Outcome>();
    const needed = new Map<string, ApiError>();
    const existing = new Map<CreateTargetingCriterion, string>();
    const judgedOn: Pick<StoredSet, 'lineItemId' | 'revision'>[] = [];
    const extended: string[] = [];
    for await (const { lineItemId, campaignId, revision, criteria, ...around } of setsOf(db, account.id, ids)) {
      const places = ofLineItem.get(lineItemId)!;
      const readable = places.filter((i) => !(values[i] instanceof ApiError));
      const judgement = judge(
        criteria,
        readable.map((i) => criterionOf(wanted[i], values[i] as ResolvedValue)),
        goneIds,
        around,
      );
      for (const [id, problem] of judgement.needed) needed.set(id, problem);
      let isExtended = false;
      for (const [at, i] of readable.entries()) {
        const params = wanted[i];
        const id = judgement.existing.get(at);
        const before = judgement.same.get(at);
        const problems = judgement.problems.get(at);
        if (problems) outcomes.set(params, { problems });
        else if (id !== undefined) existing.set(params, id);
        else if (before !== undefined) outcomes.set(params, { same: wanted[readable[before]] });
        else {
          isExtended = true;
          const fields = fieldsOf(params, values[i] as ResolvedValue, { accountId: account.id, campaignId });
          outcomes.set(params, { fields });
        }
      }
      for (const i of places) {
        const value = values[i];
        if (value instanceof ApiError) outcomes.set(wanted[i], { problems: [value] });
      }
      if (isExtended) extended.push(lineItemId);
      if (isExtended || reduced.has(lineItemId)) judgedOn.push({ lineItemId, revision });
    }

    const rowOf = new Map((await this.all(account, existing.values(), db)).map((row) => [row.id, row]));
    for (const [params, id] of existing) {
      const row = rowOf.get(id);
      // deleted since the set was read
      if (!row) throw new ConflictRetry();
      outcomes.set(params, { existing: row });
    }
    for (const [i, params] of wanted.entries()) {
      if (outcomes.has(params)) continue;
      const value = values[i];
      const unknown = LINE_ITEMS.notFoundError(account)(params.line_item_id);
      outcomes.set(params, { problems: [unknown, ...(value instanceof ApiError ? [value] : [])] });
    }
    if (!holds && judgedOn.length > 0) unitOfWork.addWrite(setsUnchanged(judgedOn));
    if (extended.length > 0) unitOfWork.require(...required, lineItemsAreAlive(account.id, extended));
    return { outcomes, needed };
  }

  /** What is wrong with criteria of which some parameters were refused. */
  private async problemsOfPartly(
    account: ActingAccount,
    all: readonly Parsed<CreateTargetingCriterion>[],
    db?: EntityManager,
  ): Promise<(parsed: Parsed<CreateTargetingCriterion>) => ApiError[]> {
    const idOf = (parsed: Parsed<CreateTargetingCriterion>) => parsed.known('line_item_id')?.line_item_id;
    const readable = all.filter((parsed) => parsed.known('targeting_type', 'targeting_value'));
    const given = readable.map((parsed) => parsed.known('targeting_type', 'targeting_value')!);
    const { values } = await this.values.resolve(account, given, db);
    const ids = all.flatMap((parsed) => idOf(parsed) ?? []);
    const items = ids.length > 0 ? await this.lineItems.byId(account, ids, db) : new Map<string, unknown>();
    const valueOf = new Map(readable.map((parsed, i) => [parsed, values[i]]));
    return (parsed) => {
      const [id, value] = [idOf(parsed), valueOf.get(parsed)];
      return [
        ...(id === undefined || items.has(id) ? [] : [LINE_ITEMS.notFoundError(account)(id)]),
        ...(value instanceof ApiError ? [value] : []),
      ];
    };
  }

  private async all(account: ActingAccount, ids: Iterable<string>, db: EntityManager): Promise<CriterionRow[]> {
    const wanted = [...new Set(ids)];
    return wanted.length > 0 ? this.of(account, db).whereIn('id', wanted).getMany() : [];
  }

  /** Criteria of deleted line items are shown where deleted things are, and are no more deleted. */
  private held(account: ActingAccount, ids: readonly string[]): Which<TargetingCriterion> {
    if (ids.length === 0) return [];
    return (criteria) => this.lineItems.ofShown(account, criteria.whereIn('id', [...new Set(ids)]));
  }

  private of(account: ActingAccount, db?: EntityManager): Rows<TargetingCriterion> {
    return this.resources.of(account, TARGETING_CRITERIA, db);
  }
}

/**
 * Criteria are mostly judged on a set that nobody holds, and stored where it is the same still. Where others were quicker
 * they are judged again in a transaction that keeps others waiting.
 */
async function inOrder<R>(work: (inTransaction: boolean) => Promise<R>): Promise<R> {
  try {
    return await work(false);
  } catch (error) {
    if (!isRevisionConflict(error)) throw error;
  }
  return work(true);
}

const criterionOf = (params: CreateTargetingCriterion, { value }: ResolvedValue): SetCriterion => ({
  targeting_type: params.targeting_type,
  targeting_value: value,
  operator_type: operatorOf(params),
});

const fieldsOf = (
  params: CreateTargetingCriterion,
  { value, name, locationType }: ResolvedValue,
  { accountId, campaignId }: Pick<CriterionRow, 'accountId' | 'campaignId'>,
): NewFields<TargetingCriterion> => ({
  accountId,
  campaignId,
  lineItemId: params.line_item_id,
  name,
  targetingType: params.targeting_type,
  targetingValue: value,
  operatorType: operatorOf(params),
  locationType: locationType ?? null,
});

/** Makes the criteria that were judged, each once. */
function makerOf(unitOfWork: UnitOfWork<TargetingCriterion>, outcomes: Judged['outcomes']) {
  const made = new Map<CreateTargetingCriterion, CriterionRow>();
  const make = (params: CreateTargetingCriterion): CriterionRow => {
    const outcome = outcomes.get(params)!;
    if ('problems' in outcome) throw new ApiErrors([...outcome.problems]);
    if ('existing' in outcome) return outcome.existing;
    if ('same' in outcome) return made.get(outcome.same)!;
    const row = unitOfWork.create(outcome.fields);
    made.set(params, row);
    return row;
  };
  return make;
}

function deleted(unitOfWork: UnitOfWork<TargetingCriterion>, id: string, { needed }: Judged): CriterionRow {
  unitOfWork.find(id);
  const problem = needed.get(id);
  if (problem) throw problem;
  return unitOfWork.delete(id);
}
