import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { ApiExtraModels, ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import type { BatchSize } from '../../common/batch/takes-batch.js';
import { Example } from '../../common/http/params/dto-metadata.js';
import { Field, type Kind } from '../../common/http/params/fields.js';
import { readConversion, type ReadConversion } from './conversion.rules.js';

const MAX_CONVERSIONS = 500;
/** 500 conversions with some contents each. */
export const CONVERSIONS_SIZE: BatchSize = {
  bodyLimit: 5_000_000,
  jsonBounds: { depth: 10, values: 250_000, shapes: 5_000, valuesAtOnce: 250_000 },
};

const OPTIONAL_TEXT: ApiPropertyOptions = { type: String, required: false };
const NUMBER: ApiPropertyOptions = {
  oneOf: [{ type: 'number', minimum: 0 }, { type: 'string' }],
  required: false,
};
const COUNT: ApiPropertyOptions = { type: 'integer', minimum: 1, required: false };
const HASH: ApiPropertyOptions = { type: String, pattern: '^[0-9A-Fa-f]{64}$', required: false };

/** One or more identifiers of the person. */
class ConversionIdentifiers {
  /** The click id that was appended to the landing page. */
  @ApiProperty(OPTIONAL_TEXT) twclid?: string;
  /** The SHA-256 of the e-mail address, trimmed and in lower case. */
  @ApiProperty(HASH) hashed_email?: string;
  /** The SHA-256 of the telephone number in E.164 format, with the plus sign. */
  @ApiProperty(HASH) hashed_phone_number?: string;
  /** The IP address. It needs another identifier, and is not stored. */
  @ApiProperty(OPTIONAL_TEXT) ip_address?: string;
  /** The user agent. It needs another identifier, and is not stored. */
  @ApiProperty(OPTIONAL_TEXT) user_agent?: string;
  /** The cookie of the pixel; ignored. */
  @ApiProperty(OPTIONAL_TEXT) twpid?: string;
}

/** What the conversion was about. */
class ConversionContent {
  /** The id of the product. */
  @ApiProperty(OPTIONAL_TEXT) content_id?: string;
  /** The id of the group of products. */
  @ApiProperty(OPTIONAL_TEXT) content_group_id?: string;
  /** The name of the product. */
  @ApiProperty(OPTIONAL_TEXT) content_name?: string;
  /** The price of one, in units of the currency. */
  @ApiProperty(NUMBER) content_price?: number | string;
  /** The kind of product. */
  @ApiProperty(OPTIONAL_TEXT) content_type?: string;
  /** How many. */
  @ApiProperty(COUNT) num_items?: number;
}

/** Something that a person did on the website. */
@ApiExtraModels(ConversionIdentifiers, ConversionContent)
class SentConversion {
  /** When it happened: ISO 8601, with or without milliseconds. At most 90 days ago. */
  @ApiProperty(OPTIONAL_TEXT) conversion_time?: string;
  /** The same in milliseconds since 1970, instead of `conversion_time`. */
  @ApiProperty({ type: 'integer', format: 'int64', required: false }) conversion_timestamp?: number;
  /** The id of a web event tag, `tw-<pixel>-<tag>`, or `gtm_<event>` for an event without a tag. */
  @ApiProperty({ type: String }) event_id: string;
  /** Who did it. */
  @ApiProperty({ type: ConversionIdentifiers, isArray: true, minItems: 1 }) identifiers: ConversionIdentifiers[];
  /** The value in units of the currency. */
  @ApiProperty(NUMBER) value?: number | string;
  /** The currency in ISO 4217; by default USD. */
  @ApiProperty(OPTIONAL_TEXT) price_currency?: string;
  /** How many items were bought. */
  @ApiProperty(COUNT) number_items?: number;
  /** Another conversion of the same tag with this id within 48 hours is a duplicate. */
  @ApiProperty(OPTIONAL_TEXT) conversion_id?: string;
  /** A description. */
  @ApiProperty(OPTIONAL_TEXT) description?: string;
  /** The page on which it happened; stored without its query. */
  @ApiProperty(OPTIONAL_TEXT) event_source_url?: string;
  /** What it was about. */
  @ApiProperty({ type: ConversionContent, isArray: true, required: false }) contents?: ConversionContent[];
}

/** One element more than allowed is read, so that the length is still wrong. */
const conversions: Kind = {
  convert: (given) =>
    Array.isArray(given)
      ? given.slice(0, MAX_CONVERSIONS + 1).map((each, i) => readConversion(each, `conversions[${i}]`))
      : given,
  constraints: () => [IsArray(), ArrayMaxSize(MAX_CONVERSIONS), ArrayMinSize(1)],
};

@ApiExtraModels(SentConversion)
@Example({
  conversions: [
    {
      conversion_time: '{five_days_ago}',
      event_id: '{web_event_tag_id}',
      identifiers: [{ hashed_email: '49e0be2aeccfb51a8dee4c945c8a70a9ac500cf6f5cb08112575f74db9b1470d' }],
      value: '20.00',
      price_currency: 'USD',
      number_items: 2,
      conversion_id: 'order-4711',
    },
  ],
})
export class SendConversions {
  /** The conversions: all are stored, or none. */
  @Field(
    conversions,
    {},
    {
      type: 'array',
      minItems: 1,
      maxItems: MAX_CONVERSIONS,
      items: { $ref: getSchemaPath(SentConversion), description: 'One conversion.' },
    },
  )
  conversions: ReadConversion[];
}
