import { defineResource } from '../../accounts/resources/resource-definition.js';
import { lineItemIsAlive } from '../line-items/line-item-parents.statements.js';
import { ONE_CALL, PrerollCallToAction } from './preroll-call-to-action.entity.js';
import { presentPrerollCallToAction } from './preroll-call-to-action.presenter.js';

/** A line item has at most one. A concurrent second request finds the first row. */
export const PREROLL_CALL_TO_ACTIONS = defineResource<PrerollCallToAction>({
  entity: PrerollCallToAction,
  name: 'PREROLL_CALL_TO_ACTION',
  label: 'Preroll Call To Action',
  parameter: 'preroll_call_to_action_id',
  snapshot: presentPrerollCallToAction,
  parents: (row) => [lineItemIsAlive(row)],
  uniques: [{ index: ONE_CALL, columns: ['lineItemId'] }],
});
