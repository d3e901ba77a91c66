import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import { OneQuery } from '../../common/list/list-query.js';
import type { Row } from '../../common/db/query/rows.js';
import type { WebEventTag } from '../entities/web-event-tag.entity.js';
import { PixelCode } from '../pixel/pixel-code.js';
import { MEASUREMENT_READ, MEASUREMENT_WRITE } from '../measurement.permissions.js';
import { presentWebEventTag, WebEventTagView } from './web-event-tag.presenter.js';
import { CreateWebEventTag, ListWebEventTags, UpdateWebEventTag } from './web-event-tags.dto.js';
import { WebEventTagsService } from './web-event-tags.service.js';

@AccountController('web_event_tags', {
  tag: 'Measurement',
  reads: MEASUREMENT_READ,
  writes: MEASUREMENT_WRITE,
  ofMeasurement: true,
})
export class WebEventTagsController {
  private readonly present: (tag: Row<WebEventTag>) => WebEventTagView;

  constructor(
    private readonly tags: WebEventTagsService,
    code: PixelCode,
  ) {
    this.present = presentWebEventTag(code);
  }

  /** Lists the web event tags of the account, with filters and pagination. */
  @Get()
  @ReturnsPage(WebEventTagView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListWebEventTags) {
    return (await this.tags.list(account, query)).map(this.present);
  }

  /** Returns a web event tag. */
  @Get(':web_event_tag_id')
  @Returns(WebEventTagView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('web_event_tag_id') id: string,
    @Params() query: OneQuery,
  ) {
    return this.present(await this.tags.get(account, id, query));
  }

  /** Creates a web event tag. All tags of an account have the same `website_tag_id`, its pixel. */
  @Post()
  @Returns(WebEventTagView, { status: 201 })
  async create(@CurrentAccount() account: ActingAccount, @Params() params: CreateWebEventTag) {
    return this.present(await this.tags.create(account, params));
  }

  /** Changes a web event tag. */
  @Put(':web_event_tag_id')
  @Returns(WebEventTagView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('web_event_tag_id') id: string,
    @ParsedParams(UpdateWebEventTag) request: Parsed<UpdateWebEventTag>,
  ) {
    return this.present(await this.tags.update(account, id, request));
  }

  /** Deletes a web event tag permanently. Line items that name it do not change. */
  @Delete(':web_event_tag_id')
  @Returns(WebEventTagView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('web_event_tag_id') id: string) {
    return this.present(await this.tags.delete(account, id));
  }
}
