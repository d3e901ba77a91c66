import { Column, Entity, Index } from 'typeorm';
import { Resource } from '../../common/entity/resource.entity.js';
import { TimestampColumn } from '../../common/entity/columns.js';

/** Somebody who has an account on the platform; ids are decimal. */
@Entity('users')
// who does not count as one: few, and asked for together
@Index('users_inactive', ['id'], { where: '"deletedAt" IS NOT NULL OR "suspendedAt" IS NOT NULL' })
// users who can sign in: few among the users of a directory, and listed first
@Index('users_sign_in', ['id'], {
  where: '"passwordHash" IS NOT NULL AND "suspendedAt" IS NULL AND "deletedAt" IS NULL',
})
export class User extends Resource {
  /** Unique without case; the index on lower(username) lives in the migration. */
  @Column({ type: 'varchar' }) username: string;
  @Column({ type: 'varchar' }) name: string;
  /** argon2id; null where nobody can sign in. */
  @Column({ type: 'varchar', nullable: true }) passwordHash: string | null;
  @TimestampColumn({ nullable: true }) suspendedAt: Date | null;
}
Index('users_username', { synchronize: false })(User);
