import { Column, Entity } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/** A criterion of an audience: the type, the value, and whether it includes or excludes users. */
export type AudienceCriterion = readonly [type: string, value: string, operator: string];

/** An audience that line items of an account target: those with the same criteria share it. */
@Entity('delivery_audiences')
export class DeliveryAudience {
  @IdColumn({ primary: true }) accountId: string;
  /** A hash of the criteria. */
  @IdColumn({ primary: true }) id: string;
  /** In alphabetical order, each once; none if the line items target everybody. */
  @Column({ type: 'jsonb' }) criteria: AudienceCriterion[];
  /** The number of users, as far as it is estimated. */
  @Column({ type: 'bigint' }) users: number;
  /** When the number was estimated, by the clock of the account; in 1970 if it stands in for an estimate to come. */
  @TimestampColumn() estimatedAt: Date;
}
