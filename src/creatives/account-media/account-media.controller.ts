import { Delete, Get, Param } from '@nestjs/common';
import { MEDIA_SCOPES } from '../../auth/credentials/scopes.js';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params } from '../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import { MediaUrls } from '../media-files/media-urls.js';
import { ListAccountMedia } from './account-media.dto.js';
import { AccountMediaView, presentAccountMedia } from './account-media.presenter.js';
import { AccountMediaService } from './account-media.service.js';

@AccountController('account_media', {
  tag: 'Account media',
  reads: CREATIVES_READ,
  writes: CREATIVES_WRITE,
  scopes: MEDIA_SCOPES,
})
export class AccountMediaController {
  private readonly present: ReturnType<typeof presentAccountMedia>;

  constructor(
    private readonly media: AccountMediaService,
    urls: MediaUrls,
  ) {
    this.present = presentAccountMedia(urls);
  }

  /** Lists the account's media: library media that serve as advertisements on their own. */
  @Get()
  @ReturnsPage(AccountMediaView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListAccountMedia) {
    return (await this.media.list(account, query)).map(this.present);
  }

  /** Returns one account media item. */
  @Get(':account_media_id')
  @Returns(AccountMediaView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('account_media_id') id: string,
    @Params() query: OneQuery,
  ) {
    return this.present(await this.media.get(account, id, query));
  }

  /** Deletes an account media item permanently. The media stays in the library. */
  @Delete(':account_media_id')
  @Returns(AccountMediaView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('account_media_id') id: string) {
    return this.present(await this.media.delete(account, id));
  }
}
