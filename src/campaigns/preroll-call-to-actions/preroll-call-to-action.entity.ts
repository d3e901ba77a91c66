import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

/** The labels of the button of an in-stream video. */
export const CALLS_TO_ACTION = closedSet('CallToAction', ['GO_TO', 'SEE_MORE', 'SHOP', 'VISIT_SITE', 'WATCH_NOW']);
export type CallToAction = (typeof CALLS_TO_ACTION)[number];

/** The index that limits a line item to one. */
export const ONE_CALL = 'preroll_call_to_actions_one';

/** The call-to-action button of a line item's in-stream videos, and its URL. */
@Entity('preroll_call_to_actions')
@Index('preroll_call_to_actions_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index(ONE_CALL, ['accountId', 'lineItemId'], { unique: true, where: '"deletedAt" IS NULL' })
export class PrerollCallToAction extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() lineItemId: string;
  @WordColumn(CALLS_TO_ACTION) callToAction: CallToAction;
  @Column({ type: 'varchar' }) callToActionUrl: string;
}
