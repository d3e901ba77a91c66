import { Read } from '../../common/http/fields.js';
import { readText } from '../../common/http/readers.js';
import { readMinute } from './replay.rules.js';

const MINUTE = { type: String, pattern: '^[0-9]{12}$', description: 'UTC, `yyyymmddhhmm`.' } as const;

const WEBHOOK_ID = { type: String, pattern: '^[0-9]{1,19}$' } as const;
const readWebhookId = readText({ matching: { pattern: /^[0-9]{1,19}$/, what: 'a number of 1 to 19 digits' } });

export class StartReplay {
  /** The first minute whose events are sent again, at most 24 hours ago. */
  @Read(readMinute, { example: '202612241530' }, MINUTE) from_date: string;
  /** The last minute whose events are sent again: inclusive, after `from_date`, and not later than now. */
  @Read(readMinute, { example: '202612241630' }, MINUTE) to_date: string;
  /** The webhook, which has to be one of the calling application. */
  @Read(readWebhookId, { example: '1827099541164159' }, WEBHOOK_ID) webhook_id: string;
}
