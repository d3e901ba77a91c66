import { Column, Entity } from 'typeorm';
import { Resource } from '../../common/entity/resource.entity.js';

/** What several accounts of one company belong to; audiences can be shared within it. */
@Entity('businesses')
export class Business extends Resource {
  @Column({ type: 'varchar' }) name: string;
}
