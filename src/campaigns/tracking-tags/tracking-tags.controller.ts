import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import { presentTrackingTag, TrackingTagView } from './tracking-tag.presenter.js';
import { CreateTrackingTag, ListTrackingTags, UpdateTrackingTag } from './tracking-tags.dto.js';
import { TrackingTagsService } from './tracking-tags.service.js';

@AccountController('tracking_tags', { tag: 'Tracking tags', reads: CAMPAIGNS_READ, writes: CAMPAIGNS_WRITE })
export class TrackingTagsController {
  constructor(private readonly tags: TrackingTagsService) {}

  /** Lists the tracking tags of line items, with filters and pagination. */
  @Get()
  @ReturnsPage(TrackingTagView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListTrackingTags) {
    return (await this.tags.list(account, query)).map(presentTrackingTag);
  }

  /** Returns a tracking tag. */
  @Get(':tracking_tag_id')
  @Returns(TrackingTagView)
  async get(@CurrentAccount() account: ActingAccount, @Param('tracking_tag_id') id: string, @Params() query: OneQuery) {
    return presentTrackingTag(await this.tags.get(account, id, query));
  }

  /** Adds a tracking tag to a line item. */
  @Post()
  @Returns(TrackingTagView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateTrackingTag) request: Parsed<CreateTrackingTag>,
  ) {
    return presentTrackingTag(await this.tags.create(account, request));
  }

  /** Changes the URL of a tracking tag. */
  @Put(':tracking_tag_id')
  @Returns(TrackingTagView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('tracking_tag_id') id: string,
    @Params() params: UpdateTrackingTag,
  ) {
    return presentTrackingTag(await this.tags.update(account, id, params));
  }

  /** Removes a tracking tag from its line item. */
  @Delete(':tracking_tag_id')
  @Returns(TrackingTagView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('tracking_tag_id') id: string) {
    return presentTrackingTag(await this.tags.delete(account, id));
  }
}
