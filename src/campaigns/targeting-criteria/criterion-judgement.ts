import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { unknownReference } from '../../accounts/resource-definition.js';
import type { NewColumns } from '../../accounts/resources/unit-of-work.js';
import type { Row } from '../../common/db/query/rows.js';
import { ApiError } from '../../common/errors/api-error.js';
import { groupedBy } from '../../common/values/grouped.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { SetCriterion } from '../criterion-sets/criterion-set.rules.js';
import { judge } from '../criterion-sets/targeting-criteria.rules.js';
import type { StoredSet } from '../criterion-sets/targeting-criteria.statements.js';
import type { TargetingCriterion } from '../criterion-sets/targeting-criterion.entity.js';
import { LINE_ITEMS } from '../entities/line-item.entity.js';
import type { ResolvedValue } from '../targeting-values/targeting-values.rules.js';
import { operatorOf, type CreateTargetingCriterion } from './targeting-criteria.dto.js';

/** A request for a new criterion. */
export type CreateRequest = Parsed<CreateTargetingCriterion>;

/** The result for a new criterion: rejected, already stored, equal to an earlier one, or new. */
export type CriterionOutcome =
  | { problems: readonly ApiError[] }
  | { existing: string }
  | { same: CreateRequest }
  | { fields: NewColumns<TargetingCriterion> };

/** Validates new criteria and the deletion of others, by line item. */
export class CriterionJudgement {
  readonly outcomes = new Map<CreateRequest, CriterionOutcome>();
  /** Why criteria cannot be deleted, by id. */
  readonly needed = new Map<string, ApiError>();
  /** The line items that get new criteria. */
  readonly extended: string[] = [];
  /** The sets that the validation depends on. */
  readonly depended: Pick<StoredSet, 'lineItemId' | 'revision'>[] = [];
  private readonly ofLineItem: Map<string | undefined, CreateRequest[]>;

  constructor(
    private readonly account: ActingAccount,
    requests: readonly CreateRequest[],
    private readonly values: ReadonlyMap<CreateRequest, ResolvedValue | ApiError>,
    private readonly deleted: ReadonlySet<string>,
  ) {
    this.ofLineItem = groupedBy(requests, (request) => request.value('line_item_id'));
  }

  /** Validates the requests for one line item together with its stored set. `isReduced`: some of the set is deleted. */
  judge({ lineItemId, campaignId, revision, criteria, ...around }: StoredSet, isReduced: boolean): void {
    const requests = this.ofLineItem.get(lineItemId) ?? [];
    this.ofLineItem.delete(lineItemId);
    for (const request of requests) this.refuse(request, []);
    const readable = requests.filter(
      (request) => request.isComplete && !(this.values.get(request) instanceof ApiError),
    );
    const values = readable.map((request) => this.values.get(request) as ResolvedValue);
    const wanted = readable.map((request, i) => criterionOf(request.params, values[i]));
    const judgement = judge(criteria, wanted, this.deleted, around);
    for (const [id, problem] of judgement.needed) this.needed.set(id, problem);
    let isExtended = false;
    for (const [at, request] of readable.entries()) {
      const problems = judgement.problems.get(at);
      const existing = judgement.existing.get(at);
      const same = judgement.same.get(at);
      if (problems) this.outcomes.set(request, { problems });
      else if (existing !== undefined) this.outcomes.set(request, { existing });
      else if (same !== undefined) this.outcomes.set(request, { same: readable[same] });
      else {
        isExtended = true;
        const owner = { accountId: this.account.id, campaignId };
        this.outcomes.set(request, { fields: fieldsOf(request.params, values[at], owner) });
      }
    }
    if (isExtended) this.extended.push(lineItemId);
    if (isExtended || isReduced) this.depended.push({ lineItemId, revision });
  }

  /** Rejects criteria of unknown line items. */
  refuseUnknown(): void {
    for (const [id, requests] of this.ofLineItem)
      for (const request of requests) this.refuse(request, unknownReference(LINE_ITEMS, this.account, id, undefined));
  }

  private refuse(request: CreateRequest, problems: ApiError[]): void {
    const value = this.values.get(request);
    if (value instanceof ApiError) problems.push(value);
    if (problems.length > 0) this.outcomes.set(request, { problems });
  }
}

const criterionOf = (params: CreateTargetingCriterion, { value }: ResolvedValue): SetCriterion => ({
  targeting_type: params.targeting_type,
  targeting_value: value,
  operator_type: operatorOf(params),
});

const fieldsOf = (
  params: CreateTargetingCriterion,
  { value, name, locationType }: ResolvedValue,
  owner: Pick<Row<TargetingCriterion>, 'accountId' | 'campaignId'>,
): NewColumns<TargetingCriterion> => ({
  lineItemId: params.line_item_id,
  name,
  targetingType: params.targeting_type,
  targetingValue: value,
  operatorType: operatorOf(params),
  locationType: locationType ?? null,
  ...owner,
});
