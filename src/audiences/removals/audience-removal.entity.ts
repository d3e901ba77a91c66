import { Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';

/** A deleted audience or do-not-reach list whose people are still to be removed. */
@Entity('audience_removals')
export class AudienceRemoval {
  /** The custom audience or do-not-reach list. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) audienceId: string;
  /** When it was deleted, or its account. */
  @TimestampColumn() queuedAt: Date;
}
