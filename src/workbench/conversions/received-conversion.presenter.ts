import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import { timeOfId } from '../../common/entity/ids.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { closedSet } from '../../common/values/closed-set.js';
import { CONVERSION_IDENTIFIERS, type ReceivedConversion } from '../../measurement/conversions/conversion.entity.js';

const NULLABLE_TIME = { ...TIME, nullable: true } as const;
const NULLABLE_ID = { ...ID, nullable: true } as const;
const nullableText = (example: string) => ({ type: String, nullable: true, example }) as const;

/** What became of a conversion: not of a tag, not matched yet, matched with nobody in a window, or attributed. */
const CONVERSION_STATES = closedSet('ConversionState', ['NO_TAG', 'WAITING', 'UNATTRIBUTED', 'ATTRIBUTED']);
export type ConversionState = (typeof CONVERSION_STATES)[number];
const ENGAGEMENT_TYPES = closedSet('AttributedEngagement', ['CLICK', 'VIEW']);

/** A conversion that a pixel received, without what identifies a person. */
@Noun('conversion', 'conversions')
export class ReceivedConversionView {
  /** The id. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() id: string;
  /** The account of the pixel. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() account_id: string;
  /** When it arrived. */
  @ApiProperty({ ...TIME, example: '2026-11-26T12:00:01Z' }) @Unescaped() received_at: string;
  /** When it happened. */
  @ApiProperty({ ...TIME, example: '2026-11-26T12:00:00Z' }) @Unescaped() conversion_time: string;
  /** The web event tag; null for an event of a tag manager. */
  @ApiProperty({ ...NULLABLE_ID, example: '2k0hx5m1q9ztb' }) @Unescaped() web_event_tag_id: string | null;
  /** The event of a tag manager. */
  @ApiProperty(nullableText('gtm_purchase')) event_name: string | null;
  /** The id by which duplicates are found. */
  @ApiProperty(nullableText('order-4711')) conversion_id: string | null;
  /** The value in micro-units of the currency. */
  @ApiProperty({ type: 'integer', format: 'int64', nullable: true, example: 20_000_000 }) value_micro: number | null;
  /** The currency. */
  @ApiProperty(nullableText('USD')) price_currency: string | null;
  /** How many items were bought. */
  @ApiProperty({ type: 'integer', nullable: true, example: 2 }) number_items: number | null;
  /** The kinds of identifiers that are stored. */
  @ApiProperty({ type: 'array', items: enumSchema(CONVERSION_IDENTIFIERS) }) identifiers: string[];
  /** What became of it. */
  @ApiProperty(enumSchema(CONVERSION_STATES)) @Unescaped() state: ConversionState;
  /** The identifier that matched a user with an engagement. */
  @ApiProperty(nullableText('twclid')) matched_by: string | null;
  /** The line item that it is attributed to. */
  @ApiProperty({ ...NULLABLE_ID, example: '2k0hx5m1q9ztc' }) @Unescaped() line_item_id: string | null;
  /** Whether it is attributed to a click or to a view. */
  @ApiProperty({ ...enumSchema(ENGAGEMENT_TYPES), nullable: true }) engagement_type: 'CLICK' | 'VIEW' | null;
  /** When that happened. */
  @ApiProperty({ ...NULLABLE_TIME, example: '2026-11-25T12:00:00Z' }) @Unescaped() engagement_time: string | null;
  /** The window of the tag in which it was, in days. */
  @ApiProperty({ type: 'integer', nullable: true, example: 30 }) window_days: number | null;
  /** How many duplicates of it arrived, which are not counted. */
  @ApiProperty({ type: 'integer', example: 0 }) duplicates: number;
  /** When the last of them arrived. */
  @ApiProperty({ ...NULLABLE_TIME, example: '2026-11-26T13:00:00Z' }) @Unescaped() last_duplicate_at: string | null;
}

/** The answer to a test conversion. */
@Noun('conversion', 'conversions')
export class SentConversionView extends ReceivedConversionView {
  /** Whether it is a duplicate: then the other fields are those of the first one. */
  @ApiProperty({ type: Boolean, example: false }) is_duplicate: boolean;
}

export function presentReceivedConversion({ conversion, match, key }: ReceivedConversion): ReceivedConversionView {
  const { id, tagId, identifiers } = conversion;
  return {
    id,
    account_id: conversion.accountId,
    received_at: wireTime(timeOfId(id).toISOString()),
    conversion_time: wireTime(conversion.convertedAt),
    web_event_tag_id: tagId,
    event_name: conversion.eventName,
    conversion_id: conversion.conversionId,
    value_micro: conversion.valueMicro,
    price_currency: conversion.currency,
    number_items: conversion.numberItems,
    identifiers: [...new Set(identifiers.map(([kind]) => CONVERSION_IDENTIFIERS[kind]))],
    state: match.state,
    matched_by: match.by,
    line_item_id: match.lineItemId,
    engagement_type: match.isClick === null ? null : match.isClick ? 'CLICK' : 'VIEW',
    engagement_time: match.at === null ? null : wireTime(match.at),
    window_days: match.windowDays,
    duplicates: key?.duplicates ?? 0,
    last_duplicate_at: key?.duplicateAt ? wireTime(key.duplicateAt) : null,
  };
}
