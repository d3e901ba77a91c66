import { closedSet } from '../../common/values/closed-set.js';
import type { IdentifierKind } from '../../audiences/entities/audience-identifier.entity.js';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, MicroColumn, TimestampColumn } from '../../common/entity/columns.js';
import type { Row } from '../../common/db/query/rows.js';
import { NotInSnapshots, TextColumn } from '../../common/entity/snapshots.js';

/** The identifiers of people that conversions keep, each as the byte of its place here and 32 bytes of SHA-256. */
export const CONVERSION_IDENTIFIERS = closedSet('ConversionIdentifier', [
  'hashed_email',
  'hashed_phone_number',
  'twclid',
]);
export type ConversionIdentifier = (typeof CONVERSION_IDENTIFIERS)[number];

/** The identifiers that the directory and uploads have too, with their kind of each. */
export const DIRECTORY_IDENTIFIERS = [
  { identifier: 'hashed_email', kind: 'email' },
  { identifier: 'hashed_phone_number', kind: 'phone_number' },
] as const satisfies readonly { identifier: ConversionIdentifier; kind: IdentifierKind }[];

/** What a conversion is matched by, in this order. The address counts together with the agent. */
export const MATCHED_BY = ['twclid', 'hashed_email', 'hashed_phone_number', 'ip_address'] as const;

const RECEIVED = 'conversions report what people did, whatever state the account has';

/** What a website reports beside the event. It may name people. */
export interface ConversionDetails {
  description?: string;
  event_source_url?: string;
  contents?: object[];
}

/**
 * Something that a person did on a website. The id has the time of its arrival, by which the table is partitioned. Addresses
 * and user agents of visitors are not in it.
 */
@Entity('conversions')
@NotInSnapshots(RECEIVED)
@Index('conversions_of_account', ['accountId', 'id'])
export class Conversion {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() accountId: string;
  /** Null if the event is none of a tag. */
  @IdColumn({ nullable: true }) tagId: string | null;
  /** The event of a tag manager, if the event is none of a tag. */
  @TextColumn({ nullable: true }) eventName: string | null;
  @TimestampColumn() convertedAt: Date;
  /** Millionths of the currency. */
  @MicroColumn({ nullable: true }) valueMicro: number | null;
  @Column({ type: 'varchar', nullable: true }) currency: string | null;
  @Column({ type: 'integer', nullable: true }) numberItems: number | null;
  @TextColumn({ nullable: true }) conversionId: string | null;
  @Column({ type: 'json', nullable: true }) details: ConversionDetails | null;
  /** See CONVERSION_IDENTIFIERS. An index of arrays finds the conversions of a deleted user. */
  @Column({ type: 'bytea', array: true }) identifiers: Buffer[];
  /** The line item that it is attributed to; null for none, and until it is matched. */
  @IdColumn({ nullable: true }) lineItemId: string | null;
  /** The index in MATCHED_BY. */
  @Column({ type: 'smallint', nullable: true }) matchedBy: number | null;
  /** Whether it is attributed to a click, or to a view, and the time of that. */
  @Column({ type: 'boolean', nullable: true }) isAfterClick: boolean | null;
  @TimestampColumn({ nullable: true }) engagedAt: Date | null;
}

/** A conversion of a tag that is not matched yet: a queue, whose rows exist for seconds. */
@Entity('conversions_to_match')
@NotInSnapshots(RECEIVED)
export class ConversionToMatch {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Index('conversions_to_match_of_account') @IdColumn() accountId: string;
  /** The SHA-256 of the address and the agent of the visitor together, which nothing else keeps. */
  @Column({ type: 'bytea', nullable: true }) visitor: Buffer | null;
  /** When it arrived, by the clock of the account; or when an engagement of an earlier time did. */
  @TimestampColumn() receivedAt: Date;
  /** Whether it matched nobody before. */
  @Column({ type: 'boolean', default: false }) isAgain: boolean;
}

/** How long a repeated `conversion_id` of a tag is a duplicate. */
export const DEDUPLICATION_MS = 48 * 3_600_000;

/** The `conversion_id` of a tag, as the first half of its SHA-256, so that another conversion with it is a duplicate. */
@Entity('conversion_keys')
@NotInSnapshots(RECEIVED)
export class ConversionKey {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn({ primary: true }) tagId: string;
  @PrimaryColumn({ type: 'bytea' }) key: Buffer;
  /** When the conversion arrived. */
  @Index('conversion_keys_at') @TimestampColumn() at: Date;
  /** The conversion that was stored. */
  @IdColumn({ nullable: true }) firstId: string | null;
  /** How many duplicates arrived since then, and when the last one did. */
  @Column({ type: 'integer', default: 0 }) duplicates: number;
  @TimestampColumn({ nullable: true }) duplicateAt: Date | null;
}

/**
 * An event in an app that counts, as the first half of the SHA-256 of app, type, time and device, so that a repetition is a
 * duplicate, also if another account would count it.
 */
@Entity('app_event_keys')
export class AppEventKey {
  @PrimaryColumn({ type: 'bytea' }) key: Buffer;
  /** When it arrived, by the clock of the service. */
  @Index('app_event_keys_at') @TimestampColumn() at: Date;
}

/** The constraint that fails when an account would store more than MAX_CONVERSIONS_PER_ACCOUNT. */
export const WITHIN_CONVERSION_QUOTA = 'conversion_days_within_quota';

/**
 * How many conversions of an account arrived on a day. They count in its quota as long as they are kept; a partition is
 * dropped without a look at its rows.
 */
@Entity('conversion_days')
@NotInSnapshots(RECEIVED)
@Check(WITHIN_CONVERSION_QUOTA, '"stored" >= 0')
export class ConversionDay {
  @IdColumn({ primary: true }) accountId: string;
  /** In days since 1970, UTC. */
  @PrimaryColumn({ type: 'integer' }) day: number;
  @Column({ type: 'integer' }) stored: number;
}

/** What a conversion is attributed to. */
export interface ConversionMatch {
  state: 'NO_TAG' | 'WAITING' | 'UNATTRIBUTED' | 'ATTRIBUTED';
  /** The identifier that matched. */
  by: string | null;
  lineItemId: string | null;
  isClick: boolean | null;
  /** The time of the engagement. */
  at: string | null;
  /** The window of the tag in which it is. */
  windowDays: number | null;
}

/** A stored conversion with what became of it; `key` counts its duplicates. */
export interface ReceivedConversion {
  conversion: Row<Conversion>;
  match: ConversionMatch;
  key: Row<ConversionKey> | undefined;
}
