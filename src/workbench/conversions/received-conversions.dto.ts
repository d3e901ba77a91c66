import { Example } from '../../common/http/params/dto-metadata.js';
import { Id, Int, Text, Timestamp } from '../../common/http/params/fields.js';

/** The conversions that the pixel of an account received last. */
@Example({ account_id: '{account_id}' })
export class ListReceivedConversions {
  /** An account that the user who signs manages. */
  @Id() account_id: string;

  /** Maximum number of conversions. */
  @Int({ optional: true, min: 1, max: 200, default: 50 }) max_results = 50;
}

/** One conversion. */
@Example({ account_id: '{account_id}' })
export class GetReceivedConversion {
  /** An account that the user who signs manages. */
  @Id() account_id: string;
}

/** A conversion of a test, with a person in plain words: the service hashes them as a client does. */
@Example({ account_id: '{account_id}', event_id: '{web_event_tag_id}', email: 'ann@example.com', value: '20.00' })
export class SendTestConversion {
  /** An account that the user who signs manages. */
  @Id() account_id: string;

  /** The web event tag, or another form of an event id. */
  @Text({ max: 255 }) event_id: string;

  /** Another conversion of the tag with this id within 48 hours is a duplicate. */
  @Text({ optional: true, max: 255, absentIfEmpty: true }) conversion_id?: string;

  /** When it happened: by default now. */
  @Timestamp({ exact: true, optional: true }) conversion_time?: string;

  /** The value in units of the currency. */
  @Text({ optional: true, max: 30, absentIfEmpty: true, example: '20.00' }) value?: string;

  /** The currency; by default USD. */
  @Text({ optional: true, max: 3, absentIfEmpty: true, example: 'EUR' }) price_currency?: string;

  /** How many items were bought. */
  @Text({ optional: true, max: 10, absentIfEmpty: true, example: '2' }) number_items?: string;

  /** The click id of an engagement. */
  @Text({ optional: true, max: 512, absentIfEmpty: true }) twclid?: string;

  /** The e-mail address of the person. */
  @Text({ optional: true, max: 320, absentIfEmpty: true, example: 'ann@example.com' }) email?: string;

  /** The telephone number of the person, with the plus sign. */
  @Text({ optional: true, max: 40, absentIfEmpty: true, example: '+4930123456' }) phone_number?: string;
}
