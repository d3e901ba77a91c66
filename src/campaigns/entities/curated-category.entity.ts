import { Column, Entity, Index } from 'typeorm';
import { NameIndex } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

/**
 * A group of publishers that can be targeted as one. It is the same for all accounts. Operators create and delete
 * curated categories.
 */
@Entity('curated_categories')
@Index('curated_categories_countries', { synchronize: false })
@Index('curated_categories_publishers', { synchronize: false })
@NameIndex('curated_categories_name', ['name', 'id'])
@Index(['updatedAt', 'id'])
export class CuratedCategory extends Resource {
  @Column({ type: 'varchar' }) name: string;
  @Column({ type: 'varchar' }) description: string;
  /** The only countries where it can be targeted, as ISO 3166-1 alpha-2 codes. */
  @Column({ type: 'varchar', array: true }) countryCodes: string[];
  @Column({ type: 'varchar', array: true }) publisherUserIds: string[];
  @Column({ type: 'integer' }) videosMonetizedInLastThirtyDays: number;
}
