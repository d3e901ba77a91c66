import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import { MediaCreativeView, presentMediaCreative } from './media-creative.presenter.js';
import { CreateMediaCreative, ListMediaCreatives } from './media-creatives.dto.js';
import { MediaCreativesService } from './media-creatives.service.js';

@AccountController('media_creatives', { tag: 'Media creatives', reads: CAMPAIGNS_READ, writes: CAMPAIGNS_WRITE })
export class MediaCreativesController {
  constructor(private readonly creatives: MediaCreativesService) {}

  /** Lists the media creatives of line items, with filters and pagination. */
  @Get()
  @ReturnsPage(MediaCreativeView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListMediaCreatives) {
    return (await this.creatives.list(account, query)).map(presentMediaCreative);
  }

  /** Returns a media creative. */
  @Get(':media_creative_id')
  @Returns(MediaCreativeView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('media_creative_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentMediaCreative(await this.creatives.get(account, id, query));
  }

  /** Adds media to a line item. If the line item already shows it, returns the existing media creative unchanged. */
  @Post()
  @Returns(MediaCreativeView, { status: [200, 201] })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateMediaCreative) request: Parsed<CreateMediaCreative>,
  ) {
    return (await this.creatives.create(account, request)).map(presentMediaCreative);
  }

  /** Removes media from a line item. Repeating the call returns 404. */
  @Delete(':media_creative_id')
  @Returns(MediaCreativeView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('media_creative_id') id: string) {
    return presentMediaCreative(await this.creatives.delete(account, id));
  }
}
