import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Made } from '../../common/http/answers/made.js';
import type { Page } from '../../common/http/answers/page.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import type { MediaCreative } from './media-creative.entity.js';
import { MEDIA_CREATIVES } from './media-creative.resource.js';
import { MediaCreativeWrites } from './media-creative.writes.js';
import type { CreateMediaCreative, ListMediaCreatives } from './media-creatives.dto.js';

type CreativeRow = Row<MediaCreative>;

/** Lists, creates and deletes the media creatives of line items. */
@Injectable()
export class MediaCreativesService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly writes: MediaCreativeWrites,
  ) {}

  list(account: ActingAccount, query: ListMediaCreatives): Promise<Page<CreativeRow>> {
    const creatives = this.resources
      .of(account, MEDIA_CREATIVES)
      .whereIn('id', query.media_creative_ids)
      .whereIn('lineItemId', query.line_item_ids);
    if (query.campaign_id !== undefined) creatives.where('campaignId', query.campaign_id);
    return page(this.items.ofShown(account, creatives, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<CreativeRow> {
    return this.items.getBelonging(account, MEDIA_CREATIVES, id, query);
  }

  /** Returns the existing creative unchanged if the line item already shows the media. */
  create(account: ActingAccount, request: Parsed<CreateMediaCreative>): Promise<Made<CreativeRow>> {
    return this.resources.perform(account, this.writes.create, request);
  }

  delete(account: ActingAccount, id: string): Promise<CreativeRow> {
    return this.items.deleteBelonging(account, MEDIA_CREATIVES, id, 'MEDIA');
  }
}
