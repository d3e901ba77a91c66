import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { unknownReference } from '../../accounts/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import { invalid } from '../../common/errors/catalogue.js';
import type { Page } from '../../common/http/answers/page.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { LINE_ITEMS } from '../entities/line-item.entity.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { TAG_SLOTS, TRACKING_TAGS, type TrackingTag } from './tracking-tag.entity.js';
import type { CreateTrackingTag, ListTrackingTags, UpdateTrackingTag } from './tracking-tags.dto.js';

type TagRow = Row<TrackingTag>;

/** Lists, creates, updates and deletes the tracking tags of line items. */
@Injectable()
export class TrackingTagsService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
  ) {}

  list(account: ActingAccount, query: ListTrackingTags): Promise<Page<TagRow>> {
    const tags = this.resources
      .of(account, TRACKING_TAGS)
      .whereIn('id', query.tracking_tag_ids)
      .whereIn('lineItemId', query.line_item_ids);
    return page(this.items.ofShown(account, tags, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<TagRow> {
    return this.items.getBelonging(account, TRACKING_TAGS, id, query);
  }

  /** Creates a tag in a free place of the line item, and rejects it if all are taken. */
  create(account: ActingAccount, request: Parsed<CreateTrackingTag>): Promise<TagRow> {
    return this.resources.change(account, TRACKING_TAGS, [request], async (unit) => {
      const id = request.value('line_item_id');
      const problems = unknownReference(LINE_ITEMS, account, id, await this.items.find(account, id, unit.db));
      const { line_item_id, tracking_tag_type, tracking_tag_url } = request.paramsUnless(problems);
      const others = await this.resources
        .of(account, TRACKING_TAGS, unit.db)
        .where('lineItemId', line_item_id)
        .where('trackingTagType', tracking_tag_type)
        .limit(TAG_SLOTS.length)
        .getMany();
      const slot = TAG_SLOTS.find((each) => !others.some((other) => other.slot === each));
      if (slot === undefined) throw tooManyTags(others[0]);
      return unit.create({
        accountId: account.id,
        lineItemId: line_item_id,
        trackingTagType: tracking_tag_type,
        trackingTagUrl: tracking_tag_url,
        slot,
      });
    });
  }

  update(account: ActingAccount, id: string, { tracking_tag_url: trackingTagUrl }: UpdateTrackingTag): Promise<TagRow> {
    const narrow = (tags: Rows<TrackingTag>) => this.items.ofShown(account, tags);
    return this.resources.update(account, TRACKING_TAGS, id, { trackingTagUrl }, narrow);
  }

  delete(account: ActingAccount, id: string): Promise<TagRow> {
    return this.items.deleteBelonging(account, TRACKING_TAGS, id);
  }
}

const tooManyTags = ({ lineItemId, trackingTagType }: TagRow) =>
  invalid('line_item_id', `Line Item ${lineItemId} already has ${TAG_SLOTS.length} tags of type ${trackingTagType}`, {
    value: lineItemId,
    details: 'delete one of them first',
  });
