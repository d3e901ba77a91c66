import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What distinguishes a store from a new one. Migrations write it; it never changes. */
@Entity('store_settings')
export class StoreSetting {
  @PrimaryColumn({ type: 'varchar' }) name: string;
  @Column({ type: 'varchar' }) value: string;
}
