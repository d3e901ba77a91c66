import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

/** What the button beside an in-stream video says. */
export const CALLS_TO_ACTION = closedSet('CallToAction', ['GO_TO', 'SEE_MORE', 'SHOP', 'VISIT_SITE', 'WATCH_NOW']);
export type CallToAction = (typeof CALLS_TO_ACTION)[number];

/** The index that gives a line item one at most. */
export const ONE_CALL = 'preroll_call_to_actions_one';

/** The button beside the in-stream videos of a line item, and where it leads. */
@Entity('preroll_call_to_actions')
@Index(['accountId', 'id'])
@Index('preroll_call_to_actions_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index(ONE_CALL, ['lineItemId'], { unique: true, where: '"deletedAt" IS NULL' })
export class PrerollCallToAction extends Resource {
  @IdColumn() accountId: string;
  @IdColumn() lineItemId: string;
  @Column({ type: 'varchar' }) callToAction: CallToAction;
  @Column({ type: 'varchar' }) callToActionUrl: string;
}
