import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { present, presenterWithout } from '../../common/http/answers/present.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { closedSet } from '../../common/values/closed-set.js';
import type { PixelCode } from '../pixel/pixel-code.js';
import { pixelIdOf } from '../entities/pixel-id.js';
import {
  WEB_EVENT_TAGS,
  WEB_EVENT_TYPES,
  type WebEventTag,
  type WebEventType,
} from '../entities/web-event-tag.entity.js';

const WEB_EVENT_TAG_STATUSES = closedSet('WebEventTagStatus', ['UNVERIFIED', 'TRACKING']);
type WebEventTagStatus = (typeof WEB_EVENT_TAG_STATUSES)[number];

/** The JSON has no times of creation and change, as X's has none. */
export class WebEventTagView {
  /** The id. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** The name. */
  @ApiProperty() name: string;
  /** The event. */
  @ApiProperty(enumSchema(WEB_EVENT_TYPES)) @Unescaped() type: WebEventType;
  /** Days after a click in which a conversion is attributed to it. */
  @ApiProperty({ type: 'integer' }) click_window: number;
  /** Days after a view in which a conversion is attributed to it; 0 for none. */
  @ApiProperty({ type: 'integer' }) view_through_window: number;
  /** Whether the visitors of the website may become an audience. */
  @ApiProperty() retargeting_enabled: boolean;
  /** The HTML that a web page contains to report the event: it loads the script of the pixel and calls it. */
  @ApiProperty({ example: "<script>...twq('event','tw-o8z6j-o87ne',{});</script>" }) embed_code: string;
  /** The pixel of the account, the same for all of its tags. */
  @ApiProperty(ID) @Unescaped() website_tag_id: string;
  /** TRACKING from the first conversion on. */
  @ApiProperty(enumSchema(WEB_EVENT_TAG_STATUSES)) @Unescaped() status: WebEventTagStatus;
  /** When the last conversion was received. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() last_tracked_at: string | null;
  /** Whether the item is deleted. */
  @ApiProperty() deleted: boolean;
}

const derived = ({ accountId, lastTrackedAt }: Row<WebEventTag>) => ({
  website_tag_id: pixelIdOf(accountId),
  status: lastTrackedAt === null ? ('UNVERIFIED' as const) : ('TRACKING' as const),
});

export const presentWebEventTag =
  (code: PixelCode) =>
  (tag: Row<WebEventTag>): WebEventTagView =>
    present(WebEventTagView, tag, { embed_code: code.of(tag), ...derived(tag) });

const WITHOUT_CODE = ['embed_code'] as const;
const presentRecorded = presenterWithout(WebEventTagView, WITHOUT_CODE);
recordAs(WEB_EVENT_TAGS, { view: WebEventTagView, without: WITHOUT_CODE }, (tag) => presentRecorded(tag, derived(tag)));
