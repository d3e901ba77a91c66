import { Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, RefersTo, UrlColumn } from '../../common/entity/snapshots.js';
import { lineItemIsAlive } from '../line-items/line-item-parents.statements.js';

/** The labels of the button of an in-stream video. */
export const CALLS_TO_ACTION = closedSet('CallToAction', ['GO_TO', 'SEE_MORE', 'SHOP', 'VISIT_SITE', 'WATCH_NOW']);
export type CallToAction = (typeof CALLS_TO_ACTION)[number];

/** The index that limits a line item to one. */
const ONE_CALL = 'preroll_call_to_actions_one';

/** The call-to-action button of a line item's in-stream videos, and its URL. */
@Entity('preroll_call_to_actions')
@InSnapshots()
@Index('preroll_call_to_actions_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index(ONE_CALL, ['accountId', 'lineItemId'], { unique: true, where: '"deletedAt" IS NULL' })
export class PrerollCallToAction extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @RefersTo('line_items') lineItemId: string;
  @WordColumn(CALLS_TO_ACTION) callToAction: CallToAction;
  @UrlColumn() callToActionUrl: string;
}

/** A line item has at most one. A concurrent second request finds the first row. */
export const PREROLL_CALL_TO_ACTIONS = defineResource<PrerollCallToAction>({
  entity: PrerollCallToAction,
  name: 'PREROLL_CALL_TO_ACTION',
  label: 'Preroll Call To Action',
  parameter: 'preroll_call_to_action_id',
  parents: (row) => [lineItemIsAlive(row)],
  uniques: [{ index: ONE_CALL, columns: ['lineItemId'] }],
});
