import { Bool, Text } from '../../common/http/params/fields.js';

export class ListTargetedBy {
  /** Whether only line items that can serve are shown. */
  @Bool({ optional: true, default: true }) with_active?: boolean;
  /** The `next_cursor` of the page before, with otherwise the same parameters. */
  @Text({ optional: true, max: 2000 }) cursor?: string;
}
