import { Example } from '../../common/http/params/dto-metadata.js';
import { Id, Ids } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { WebUrl } from '../../creatives/web-url.js';
import { MediaCreative } from './media-creative.entity.js';

export class ListMediaCreatives extends ListQuery(MediaCreative, {
  sortable: ['created_at', 'updated_at', 'deleted', 'paused'],
}) {
  /** Filters by campaign id. */
  @Id({ optional: true }) campaign_id?: string;
  /** Filters by line item ids. */
  @Ids() line_item_ids?: string[];
  /** Filters by media creative ids. */
  @Ids() media_creative_ids?: string[];
}

@Example({ account_media_id: '{account_media_id}', line_item_id: '{spare_preroll_line_item_id}' })
export class CreateMediaCreative {
  /** The account media: an in-stream video or an image of a standard size. */
  @Id() account_media_id: string;
  /** The line item that shows the media. Its `product_type` must be MEDIA. */
  @Id() line_item_id: string;
  /**
   * The landing page of an image. Required if the objective is WEBSITE_CLICKS. Ignored for an in-stream video, even if
   * invalid: use preroll_call_to_actions instead.
   */
  @WebUrl({ nullable: true, ignorable: true, example: 'https://example.com/offers' })
  landing_url?: string | null;
}
