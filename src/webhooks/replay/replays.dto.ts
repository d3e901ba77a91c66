import { invalid } from '../../common/errors/catalogue.js';
import { Field, text, word } from '../../common/http/params/fields.js';
import { notAString } from '../../common/http/params/refusals.js';
import { isMinute } from './replay.rules.js';

const MINUTE = { type: String, pattern: '^[0-9]{12}$', description: 'UTC, `yyyymmddhhmm`.' } as const;

const minute = word('a minute', isMinute, {
  error: (given, place) =>
    typeof given === 'number'
      ? notAString(given, place)
      : invalid(place, `Expected a minute in the form yyyymmddhhmm for ${place}`, {
          details: 'in UTC, such as 202609011030',
          value: given,
        }),
});

const WEBHOOK_ID = { type: String, pattern: '^[0-9]{1,19}$' } as const;
const webhookId = text({ matching: { pattern: /^[0-9]{1,19}$/, what: 'a number of 1 to 19 digits' } });

export class StartReplay {
  /** The first minute of the events to resend, inclusive; at most 24 hours ago. */
  @Field(minute, { example: '202612241530' }, MINUTE) from_date: string;
  /** The last minute of the events to resend, inclusive; after `from_date`, and not in the future. */
  @Field(minute, { example: '202612241630' }, MINUTE) to_date: string;
  /** The id of the webhook, which must belong to the calling application. */
  @Field(webhookId, { example: '1827099541164159' }, WEBHOOK_ID) webhook_id: string;
}
