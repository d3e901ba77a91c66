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
import { TARGETING_REFERENCE_KINDS } from '../targeting-values/targeting-types.js';
import { TargetingValues } from '../targeting-values/targeting-values.service.js';

/** A criterion as it is stored. `locationType` is absent where it is not stored. */
export type StoredCriterion = Pick<Row<TargetingCriterion>, 'targetingType' | 'targetingValue' | 'operatorType'> &
  Partial<Pick<Row<TargetingCriterion>, 'locationType'>>;

/** The rows that an account is about to have, by id. */
export interface OwnRows {
  audiences: ReadonlySet<string>;
  campaigns: ReadonlySet<string>;
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
    const kindOf = ({ targetingType }: StoredCriterion) => TARGETING_REFERENCE_KINDS[targetingType];
    const foreign = criteria.filter((each) => kindOf(each) === 'audience' && !own.audiences.has(each.targetingValue));
    const usable = await this.audiences.usableBy(account, [
      ...new Set(foreign.map(({ targetingValue }) => targetingValue)),
    ]);
    const others = criteria.filter((each) => !['audience', 'campaign'].includes(kindOf(each)!));
    const given = others.map(({ targetingType: targeting_type, targetingValue: targeting_value }) => ({
      targeting_type,
      targeting_value,
    }));
    const { values } = await this.values.resolve(account, given);
    const resolved = new Map(others.map((each, i) => [each, values[i]]));
    return criteria.map((each) => {
      const { targetingType: type, targetingValue: value, operatorType, locationType } = each;
      const kind = kindOf(each);
      const isOwn = kind === 'audience' ? own.audiences.has(value) : kind === 'campaign' && own.campaigns.has(value);
      const found =
        isOwn || (kind === 'audience' && usable.audiences.has(value))
          ? { value }
          : (resolved.get(each) ?? unknown(kind === 'audience' ? 'Custom Audience' : 'Campaign', value, account));
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
