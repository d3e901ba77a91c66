import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { DirectoryEstimatesService } from '../../audiences/directory/directory-estimates.service.js';
import {
  AudiencePrivacy,
  type CountedPeople,
  type ReportedRange,
} from '../../audiences/privacy/audience-privacy.service.js';
import { ApiError } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Config } from '../../config/config.js';
import { IabCategoriesService } from '../reference/iab-categories/iab-categories.service.js';
import { criterionKeyOf, problemsOfSet, type SetCriterion } from '../criterion-sets/criterion-set.rules.js';
import { TargetingValues } from '../targeting-values/targeting-values.service.js';
import type { EstimateAudience } from './audience-estimate.dto.js';
import {
  estimateOperatorOf,
  userSetsOf,
  usersOfLineItem,
  type GivenEstimateCriterion,
} from './audience-estimate.rules.js';

/** Estimates how many users targeting criteria reach. */
@Injectable()
export class AudienceEstimateService {
  constructor(
    private readonly config: Config,
    private readonly values: TargetingValues,
    private readonly directory: DirectoryEstimatesService,
    private readonly iabCategories: IabCategoriesService,
    private readonly privacy: AudiencePrivacy,
  ) {}

  /** Counts users of the directory, multiplied by AUDIENCE_POPULATION_SCALE. */
  async estimate(account: ActingAccount, request: Parsed<EstimateAudience>): Promise<ReportedRange> {
    const { criteria, problems } = await this.resolved(account, request.value('targeting_criteria') ?? []);
    request.paramsUnless(problems);
    const users = userSetsOf(criteria, await this.iabCategories.parts());
    return this.rangeOf(await this.directory.estimate(account, users));
  }

  /**
   * Estimates the users that the stored criteria of a line item target: the middle of the range that clients would receive.
   * Undefined if the directory knows no type of the criteria.
   */
  async ofLineItem(account: { id: string }, criteria: readonly SetCriterion[]): Promise<number | undefined> {
    const users = usersOfLineItem(criteria, await this.iabCategories.parts());
    if (!users) return undefined;
    const { min, max } = this.rangeOf(await this.directory.estimate(account, users));
    return Math.round((min + max) / 2);
  }

  /** Whether the directory has no users. */
  isDirectoryEmpty(): Promise<boolean> {
    return this.directory.isEmpty();
  }

  /** Explains to developers why an estimate is 0 for any request; undefined if there is no such reason. */
  async hintOn({ min }: ReportedRange): Promise<string | undefined> {
    if (min > 0 || !(await this.directory.isEmpty())) return undefined;
    return 'The directory of the platform has no users, so every estimate is 0. Add users with marquee directory import.';
  }

  private rangeOf(counted: CountedPeople): ReportedRange {
    return this.privacy.range(counted, this.config.audiencePopulationScale);
  }

  /** Criteria with their stored values, and the problems of the others and between criteria, by index. */
  private async resolved(account: ActingAccount, given: readonly GivenEstimateCriterion[]) {
    const { values } = await this.values.resolve(account, given);
    const problems: ApiError[] = [];
    const criteria: SetCriterion[] = [];
    const places: number[] = [];
    const seen = new Set<string>();
    for (const [i, value] of values.entries()) {
      if (value instanceof ApiError) {
        problems.push(placed(value, i));
        continue;
      }
      const { targeting_type } = given[i];
      const criterion = { targeting_type, targeting_value: value.value, operator_type: estimateOperatorOf(given[i]) };
      // A line item has each criterion once, so a repeated one counts once.
      const key = `${criterion.operator_type} ${criterionKeyOf(criterion)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      criteria.push(criterion);
      places.push(i);
    }
    for (const [at, own] of problemsOfSet(criteria).entries())
      problems.push(...own.map((problem) => placed(problem, places[at])));
    return { criteria, problems };
  }
}

/** Adds the index of the criterion to its problem. */
function placed({ status, code, message, detail, hint }: ApiError, place: number): ApiError {
  const parameter = `targeting_criteria[${place}]${detail.parameter === undefined ? '' : `.${detail.parameter}`}`;
  return new ApiError(status, code, message, { ...detail, parameter }).hinted(hint);
}
