import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IndexIn, TimestampColumn } from '../../common/entity/columns.js';
import { InSnapshots, RefersTo } from '../../common/entity/snapshots.js';

/** The kinds of identifiers. Rows store the index in this list. */
export const IDENTIFIER_KINDS = closedSet('IdentifierKind', [
  'email',
  'device_id',
  'handle',
  'platform_id',
  'phone_number',
  'partner_user_id',
]);
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];

/** How many days an identifier remembers its uploads: the longest lookback window. */
export const REMEMBERED_DAYS = 30;

/**
 * An identifier of a person in an audience or do-not-reach list. `person` links the identifiers of one person, which
 * agree in all other columns. There is no foreign key, because writers hold the lock of the audience.
 */
@Entity('audience_identifiers')
@InSnapshots({ owner: 'audienceId', withheld: { users: () => null } })
@Index('audience_identifiers_tied', ['audienceId', 'person'], { where: '"tied"' })
export class AudienceIdentifier {
  /** The id of the custom audience or do-not-reach list. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' })
  @RefersTo(['custom_audiences', 'do_not_reach_lists'])
  audienceId: string;
  /** The index of its kind in IDENTIFIER_KINDS. */
  @PrimaryColumn({ type: 'smallint' }) @IndexIn(IDENTIFIER_KINDS) kind: number;
  /** The uploaded SHA-256, 32 bytes. */
  @PrimaryColumn({ type: 'bytea' }) hash: Buffer;
  /**
   * The person's number: 64 bits computed from the person's first identifier by kind and hash, so it is the same in
   * every audience. Read it as text: it does not fit a JavaScript number.
   */
  @Column({ type: 'bigint' }) person: string;
  /** Whether this is the first identifier, the one row by which the person is counted. */
  @Column({ type: 'boolean' }) first: boolean;
  /** Whether the person has other identifiers. */
  @Column({ type: 'boolean' }) tied: boolean;
  /** When the membership begins. */
  @TimestampColumn() effectiveAt: Date;
  /** When the membership ends. */
  @TimestampColumn() expiresAt: Date;
  /** The day of the last upload that named the person, in days since 1970. */
  @Column({ type: 'integer' }) lastDay: number;
  /** Number of uploads of the person on that day. */
  @Column({ type: 'integer' }) updates: number;
  /** The earlier days within REMEMBERED_DAYS: a day, its uploads, a day, ...; null if there are none. */
  @Column({ type: 'integer', array: true, nullable: true }) earlier: number[] | null;
  /**
   * On the first identifier: the numbers of the directory users that match any of the person's identifiers, ascending;
   * null if none match.
   */
  @Column({ type: 'integer', array: true, nullable: true }) users: number[] | null;
}
