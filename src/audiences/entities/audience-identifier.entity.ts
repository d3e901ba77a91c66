import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { TimestampColumn } from '../../common/entity/columns.js';

/** What a person can be named by. Rows keep the place in this list. */
export const IDENTIFIER_KINDS = closedSet('IdentifierKind', [
  'email',
  'device_id',
  'handle',
  'platform_id',
  'phone_number',
  'partner_user_id',
]);
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];

/** How many days an identifier remembers its uploads for: the longest lookback window. */
export const REMEMBERED_DAYS = 30;

/**
 * What a person of an audience, or of a do-not-reach list, is known by. The identifiers of one person are tied together by
 * `person`, and agree in everything else. There is no foreign key: who writes here holds the lock of the audience.
 */
@Entity('audience_identifiers')
@Index('audience_identifiers_tied', ['audienceId', 'person'], { where: '"tied"' })
export class AudienceIdentifier {
  /** The custom audience or do-not-reach list. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) audienceId: string;
  /** The place of its kind in IDENTIFIER_KINDS. */
  @PrimaryColumn({ type: 'smallint' }) kind: number;
  /** The SHA-256 that was uploaded, 32 bytes. */
  @PrimaryColumn({ type: 'bytea' }) hash: Buffer;
  /**
   * Whose it is: 64 bits made of the person's first identifier in the order of kind and hash, so that who is in several
   * audiences is the same number in each. Read it as text: it does not fit a JavaScript number.
   */
  @Column({ type: 'bigint' }) person: string;
  /** Whether it is that first identifier: the one row by which a person is counted. */
  @Column({ type: 'boolean' }) first: boolean;
  /** Whether the person has other identifiers, too. */
  @Column({ type: 'boolean' }) tied: boolean;
  /** The person belongs to the audience from here on. */
  @TimestampColumn() effectiveAt: Date;
  /** And no more from here on. */
  @TimestampColumn() expiresAt: Date;
  /** The day of the last upload that named the person, as days since 1970. */
  @Column({ type: 'integer' }) lastDay: number;
  /** How many times it was named on that day. */
  @Column({ type: 'integer' }) updates: number;
  /** The days before that, within REMEMBERED_DAYS: a day, how many times, a day, ...; null where there are none. */
  @Column({ type: 'integer', array: true, nullable: true }) earlier: number[] | null;
  /** On the first identifier: the numbers of the directory users that any of the person's is of, ascending; null for nobody. */
  @Column({ type: 'integer', array: true, nullable: true }) users: number[] | null;
}
