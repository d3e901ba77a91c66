import { Column, Entity, Index } from 'typeorm';
import { IdColumn } from '../../../common/entity/columns.js';
import { Resource } from '../../../common/entity/resource.entity.js';

/** A platform user whose videos carry in-stream ads. Operators create and delete publishers. */
@Entity('publishers')
@Index('publishers_user', ['userId'], { unique: true, where: '"deletedAt" IS NULL' })
@Index(['updatedAt', 'id'])
export class Publisher extends Resource {
  @IdColumn() userId: string;
  /** The countries where the publisher's videos may carry ads, as ISO 3166-1 alpha-2 codes. */
  @Column({ type: 'varchar', array: true }) monetizableCountryCodes: string[];
  /** The countries where the publisher's posts may be promoted. */
  @Column({ type: 'varchar', array: true }) promotionEligibleCountryCodes: string[];
  @Column({ type: 'boolean' }) monetizationRestricted: boolean;
  /** Ids of content categories. */
  @Column({ type: 'varchar', array: true }) contentCategoryIds: string[];
}
