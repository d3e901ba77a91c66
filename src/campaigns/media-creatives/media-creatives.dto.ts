import { Example } from '../../common/http/params/example.js';
import { Id, Ids } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { WebUrl } from '../../creatives/web-url.js';
import { MediaCreative } from './media-creative.entity.js';

export class ListMediaCreatives extends ListQuery(MediaCreative, {
  sortable: ['created_at', 'updated_at', 'deleted', 'paused'],
}) {
  /** Only what line items of this campaign show. */
  @Id({ optional: true }) campaign_id?: string;
  /** Only what these line items show. */
  @Ids() line_item_ids?: string[];
  /** Only the media creatives with these ids. */
  @Ids() media_creative_ids?: string[];
}

@Example({ account_media_id: '{account_media_id}', line_item_id: '{spare_preroll_line_item_id}' })
export class CreateMediaCreative {
  /** The medium: an in-stream video, or an image of a standard size. */
  @Id() account_media_id: string;
  /** The line item that is to show it; its `product_type` is MEDIA. */
  @Id() line_item_id: string;
  /** Where an image leads: needed where the objective is WEBSITE_CLICKS. Of an in-stream video it is ignored, valid or not: preroll_call_to_actions has its own. */
  @WebUrl({ nullable: true, ignorable: true, example: 'https://example.com/offers' })
  landing_url?: string | null;
}
