import { defineResource } from '../../accounts/resources/resource-definition.js';
import { TargetingCriterion } from './targeting-criterion.entity.js';
import { presentCriterion } from './targeting-criterion.presenter.js';

/** That its line item is there is seen to for all criteria of a request at once (`lineItemsAreAlive`). */
export const TARGETING_CRITERIA = defineResource<TargetingCriterion>({
  entity: TargetingCriterion,
  name: 'TARGETING_CRITERIA',
  label: 'Targeting Criterion',
  parameter: 'targeting_criterion_id',
  snapshot: (criterion) => presentCriterion(criterion),
});
