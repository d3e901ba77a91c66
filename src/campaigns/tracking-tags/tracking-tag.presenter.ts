import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { present } from '../../common/http/answers/present.js';
import { ID, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { TRACKING_TAGS, TRACKING_TAG_TYPES, type TrackingTag, type TrackingTagType } from './tracking-tag.entity.js';

export class TrackingTagView extends ResourceView {
  /** The line item. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** The URL that counts, as it was sent: it may have placeholders such as `[timestamp]`. */
  @ApiProperty() tracking_tag_url: string;
  /** Whether the URL counts impressions or clicks. */
  @ApiProperty(enumSchema(TRACKING_TAG_TYPES)) @Unescaped() tracking_tag_type: TrackingTagType;
}

export const presentTrackingTag = (tag: Row<TrackingTag>): TrackingTagView => present(TrackingTagView, tag);

recordAs(TRACKING_TAGS, TrackingTagView, presentTrackingTag);
