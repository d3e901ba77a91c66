import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { closedSet } from '../values/closed-set.js';

/** The constraint that fails when usage exceeds its quota. */
export const WITHIN_QUOTA = 'storage_usage_within_quota';

/** What users and accounts store, each kind with its own quota. */
export const STORED_KINDS = closedSet('StoredKind', [
  'UNFINISHED_UPLOAD_BYTES',
  'USER_MEDIA_BYTES',
  'ACCOUNT_MEDIA_BYTES',
  'AUDIENCE_ROWS',
  'ENGAGEMENTS',
  'LEADS',
]);
export type StoredKind = (typeof STORED_KINDS)[number];

/** The storage usage of a user or an account for a kind, changed by the statements that store and delete. */
@Entity('storage_usage')
@Check(WITHIN_QUOTA, '"used" >= 0')
export class StorageUsage {
  /** The id of the user or the account. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) ownerId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) kind: StoredKind;
  /** In bytes or rows. */
  @Column({ type: 'bigint' }) used: number;
}
