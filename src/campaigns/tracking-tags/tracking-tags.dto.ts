import { Example } from '../../common/http/params/dto-metadata.js';
import { Id, Ids, OneOf } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { SecureUrl } from '../../creatives/web-url.js';
import { TRACKING_TAG_TYPES, TrackingTag, type TrackingTagType } from './tracking-tag.entity.js';

const Url = () => SecureUrl({ example: 'https://counter.example/impression?campaign=autumn' });

export class ListTrackingTags extends ListQuery(TrackingTag, { sortable: ['created_at', 'updated_at', 'deleted'] }) {
  /** Filters by line item ids. */
  @Ids() line_item_ids?: string[];
  /** Filters by tracking tag ids. */
  @Ids() tracking_tag_ids?: string[];
}

@Example({
  line_item_id: '{line_item_id}',
  tracking_tag_type: 'IMPRESSION_TAG',
  tracking_tag_url: 'https://counter.example/impression?campaign=autumn',
})
export class CreateTrackingTag {
  /** The line item. It has at most 3 tags of each type. */
  @Id() line_item_id: string;
  /** Whether the URL counts impressions or clicks. */
  @OneOf(TRACKING_TAG_TYPES) tracking_tag_type: TrackingTagType;
  /** The URL that counts. */
  @Url() tracking_tag_url: string;
}

@Example({ tracking_tag_url: 'https://counter.example/impression?campaign=winter' })
export class UpdateTrackingTag {
  /** The URL that counts. Line item and type cannot be changed. */
  @Url() tracking_tag_url: string;
}
