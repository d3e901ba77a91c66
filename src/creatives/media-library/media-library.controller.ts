import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { MEDIA_SCOPES } from '../../auth/credentials/scopes.js';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import { MediaUrls } from '../media-files/media-urls.js';
import { LibraryMediaView, presentLibraryMedia } from './library-media.presenter.js';
import { AddLibraryMedia, ListMediaLibrary, UpdateLibraryMedia } from './media-library.dto.js';
import { MediaLibraryService } from './media-library.service.js';

@AccountController('media_library', {
  tag: 'Media library',
  reads: CREATIVES_READ,
  writes: CREATIVES_WRITE,
  scopes: MEDIA_SCOPES,
})
export class MediaLibraryController {
  private readonly present: ReturnType<typeof presentLibraryMedia>;

  constructor(
    private readonly library: MediaLibraryService,
    urls: MediaUrls,
  ) {
    this.present = presentLibraryMedia(urls);
  }

  /** Lists the images, GIFs and videos in the account's media library. */
  @Get()
  @ReturnsPage(LibraryMediaView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListMediaLibrary) {
    return (await this.library.list(account, query)).map(this.present);
  }

  /** Returns one media item of the library. */
  @Get(':media_key')
  @Returns(LibraryMediaView)
  async get(@CurrentAccount() account: ActingAccount, @Param('media_key') key: string, @Params() query: OneQuery) {
    return this.present(await this.library.get(account, key, query));
  }

  /** Adds an uploaded media item. In-stream videos and standard-size images also become account media. */
  @Post()
  @Returns(LibraryMediaView, { status: [200, 201] })
  async add(@CurrentAccount() account: ActingAccount, @ParsedParams(AddLibraryMedia) request: Parsed<AddLibraryMedia>) {
    return (await this.library.add(account, request)).map(this.present);
  }

  /** Updates the fields of a library media item. An empty text unsets a field. */
  @Put(':media_key')
  @Returns(LibraryMediaView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('media_key') key: string,
    @ParsedParams(UpdateLibraryMedia) request: Parsed<UpdateLibraryMedia>,
  ) {
    return this.present(await this.library.update(account, key, request));
  }

  /** Removes the media from the library. Posts and cards that use it keep it. */
  @Delete(':media_key')
  @Returns(LibraryMediaView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('media_key') key: string) {
    return this.present(await this.library.delete(account, key));
  }
}
