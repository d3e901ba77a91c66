import { Column, Entity, Index } from 'typeorm';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { REASONS_NOT_TARGETABLE, type ReasonNotTargetable } from './custom-audience.entity.js';

/** The index that allows an account one list at a time. */
export const ONE_LIST = 'do_not_reach_lists_one_each';

/** People that an account's campaigns do not reach. */
@Entity('do_not_reach_lists')
@Index(ONE_LIST, ['accountId'], { unique: true, where: '"deletedAt" IS NULL' })
export class DoNotReachList extends Resource {
  /** The account that owns the list. */
  @IdColumn({ primary: true }) accountId: string;
  @Column({ type: 'varchar', nullable: true }) description: string | null;
  /** Empty if the list affects campaigns. */
  @WordColumn(REASONS_NOT_TARGETABLE, { array: true }) reasonsNotTargetable: ReasonNotTargetable[];
  /** The number of people; null while it is unknown or too small to report. */
  @Column({ type: 'integer', nullable: true }) listSize: number | null;
}
