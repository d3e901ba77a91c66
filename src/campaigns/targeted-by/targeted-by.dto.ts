import { Bool, Text } from '../../common/http/params/fields.js';

export class ListTargetedBy {
  /** Whether to return only line items that can serve. */
  @Bool({ optional: true, default: true }) with_active?: boolean;
  /** The `next_cursor` of the previous page. All other parameters must stay the same. */
  @Text({ absentIfEmpty: true, max: 2000 }) cursor?: string;
}
