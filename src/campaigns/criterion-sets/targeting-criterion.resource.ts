import { defineResource } from '../../accounts/resources/resource-definition.js';
import { TargetingCriterion } from './targeting-criterion.entity.js';
import { presentCriterion } from './targeting-criterion.presenter.js';

/** `lineItemsAreAlive` checks the line items of all criteria of a request at once. */
export const TARGETING_CRITERIA = defineResource<TargetingCriterion>({
  entity: TargetingCriterion,
  name: 'TARGETING_CRITERIA',
  label: 'Targeting Criterion',
  parameter: 'targeting_criterion_id',
  snapshot: (criterion) => presentCriterion(criterion),
});
