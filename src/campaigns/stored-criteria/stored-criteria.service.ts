import { Injectable } from '@nestjs/common';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { AudienceAccessService } from '../../audiences/audience-permissions/audience-access.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ContentProblem } from '../../common/entity/snapshots.js';
import { ApiError } from '../../common/errors/api-error.js';
import { notFound } from '../../common/errors/catalogue.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { operatorProblem } from '../criterion-sets/criterion-set.rules.js';
import type { TargetingCriterion } from '../criterion-sets/targeting-criterion.entity.js';
import { isAppOfOlderCriterion } from '../targeting-values/targeting-references.rules.js';
import { TARGETING_REFERENCE_KINDS } from '../targeting-values/targeting-types.js';
import { TargetingValues } from '../targeting-values/targeting-values.service.js';

/** A criterion as it is stored. `locationType` is absent where it is not stored. */
export type StoredCriterion = Pick<Row<TargetingCriterion>, 'targetingType' | 'targetingValue' | 'operatorType'> &
  Partial<Pick<Row<TargetingCriterion>, 'locationType'>>;

/** The rows that an account is about to have, by id. */
export interface OwnRows {
  appLists: ReadonlySet<string>;
  audiences: ReadonlySet<string>;
  campaigns: ReadonlySet<string>;
}

/** The kinds of rows that an account has itself, or for audiences also another account. */
const OWN_KINDS = {
  'app list': { rows: 'appLists', label: 'App List' },
  audience: { rows: 'audiences', label: 'Custom Audience' },
  campaign: { rows: 'campaigns', label: 'Campaign' },
} as const;

const kindOf = ({ targetingType }: StoredCriterion) => TARGETING_REFERENCE_KINDS[targetingType];

function ownKindOf(criterion: StoredCriterion): keyof typeof OWN_KINDS | undefined {
  const kind = kindOf(criterion);
  return kind !== undefined && Object.hasOwn(OWN_KINDS, kind) ? (kind as keyof typeof OWN_KINDS) : undefined;
}

/** Compares stored criteria with those that a request can create. */
@Injectable()
export class StoredCriteria {
  constructor(
    private readonly values: TargetingValues,
    private readonly audiences: AudienceAccessService,
  ) {}

  /**
   * Why each criterion is not what a request of the account would store; undefined if it is. Audiences need not be
   * targetable any more, and names are not compared: both change after a criterion is stored.
   */
  async problems(
    account: AccountReader,
    criteria: readonly StoredCriterion[],
    own: OwnRows,
  ): Promise<(ContentProblem | undefined)[]> {
    const foreign = criteria.filter((each) => kindOf(each) === 'audience' && !own.audiences.has(each.targetingValue));
    const usable = await this.audiences.usableBy(account, [
      ...new Set(foreign.map(({ targetingValue }) => targetingValue)),
    ]);
    const others = criteria.filter((each) => ownKindOf(each) === undefined);
    const given = others.map(({ targetingType: targeting_type, targetingValue: targeting_value }) => ({
      targeting_type,
      targeting_value,
    }));
    const { values } = await this.values.resolve(account, given);
    const resolved = new Map(others.map((each, i) => [each, values[i]]));
    return criteria.map((each) => {
      const { targetingType: type, targetingValue: value, operatorType, locationType } = each;
      const kind = ownKindOf(each);
      const isFound =
        kind !== undefined &&
        (own[OWN_KINDS[kind].rows].has(value) ||
          (kind === 'audience' && usable.audiences.has(value)) ||
          isAppOfOlderCriterion(type, value));
      const found = isFound ? { value } : (resolved.get(each) ?? unknown(OWN_KINDS[kind!].label, value, account));
      if (found instanceof ApiError) return { column: 'targetingValue', message: found.message, value };
      if (found.value !== value)
        return {
          column: 'targetingValue',
          message: `Expected ${quotedValue(found.value)}, got ${quotedValue(value)}`,
          value,
        };
      const expected = ('locationType' in found ? found.locationType : undefined) ?? null;
      if (locationType !== undefined && locationType !== expected)
        return {
          column: 'locationType',
          message: `Expected ${quotedValue(expected)}, got ${quotedValue(locationType)}`,
          value: locationType,
        };
      const wrong = operatorProblem(type, operatorType);
      return wrong && { column: 'operatorType', message: wrong.message, value: operatorType };
    });
  }
}

const unknown = (label: string, id: string, account: { id: string }): ApiError =>
  notFound(label, 'targeting_value', id, account.id);
