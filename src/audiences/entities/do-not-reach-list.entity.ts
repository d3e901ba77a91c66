import { Column, Entity, Index } from 'typeorm';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import type { ReasonNotTargetable } from './custom-audience.entity.js';

/** The index that lets an account have one list at a time. */
export const ONE_LIST = 'do_not_reach_lists_one_each';

/** People that no campaign of an account is shown to. */
@Entity('do_not_reach_lists')
@Index(['accountId', 'id'])
@Index(ONE_LIST, ['accountId'], { unique: true, where: '"deletedAt" IS NULL' })
export class DoNotReachList extends Resource {
  /** Whose it is. */
  @IdColumn() accountId: string;
  @Column({ type: 'varchar', nullable: true }) description: string | null;
  /** Empty where it has an effect. */
  @Column({ type: 'varchar', array: true }) reasonsNotTargetable: ReasonNotTargetable[];
  /** How many people it holds; null while that is not known, and while it is too small to be told. */
  @Column({ type: 'integer', nullable: true }) listSize: number | null;
}
