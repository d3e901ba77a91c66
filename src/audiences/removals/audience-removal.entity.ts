import { Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';

/** A deleted audience or do-not-reach list whose people are not removed yet. */
@Entity('audience_removals')
export class AudienceRemoval {
  /** The id of the custom audience or do-not-reach list. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) audienceId: string;
  /** When it or its account was deleted. */
  @TimestampColumn() queuedAt: Date;
}
