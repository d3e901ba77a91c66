import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, TextColumn } from '../../common/entity/snapshots.js';
import { secondDoNotReachList } from '../audiences.errors.js';
import { REASONS_NOT_TARGETABLE, type ReasonNotTargetable } from './custom-audience.entity.js';

/** The index that allows an account one list at a time. */
const ONE_LIST = 'do_not_reach_lists_one_each';

/** People that an account's campaigns do not reach. */
@Entity('do_not_reach_lists')
@InSnapshots()
@Index('do_not_reach_lists_id', ['id'])
@Index(ONE_LIST, ['accountId'], { unique: true, where: '"deletedAt" IS NULL' })
export class DoNotReachList extends Resource {
  /** The account that owns the list. */
  @IdColumn({ primary: true }) accountId: string;
  @TextColumn({ nullable: true }) description: string | null;
  /** Empty if the list affects campaigns. */
  @WordColumn(REASONS_NOT_TARGETABLE, { array: true }) reasonsNotTargetable: ReasonNotTargetable[];
  /** The number of people; null while it is unknown or too small to report. */
  @Column({ type: 'integer', nullable: true }) listSize: number | null;
}

/** An account has at most one list. */
export const DO_NOT_REACH_LISTS = defineResource<DoNotReachList>({
  entity: DoNotReachList,
  name: 'DO_NOT_REACH_LIST',
  label: 'Do Not Reach List',
  parameter: 'do_not_reach_list_id',
  uniques: [{ index: ONE_LIST, columns: [], refusal: secondDoNotReachList }],
});
