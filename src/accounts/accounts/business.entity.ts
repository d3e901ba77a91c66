import { Column, Entity } from 'typeorm';
import { Resource } from '../../common/entity/resource.entity.js';

/** A company to which several accounts belong. Its accounts can share audiences. */
@Entity('businesses')
export class Business extends Resource {
  @Column({ type: 'varchar' }) name: string;
}
