import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { ReturnsMade, ReturnsOne, ReturnsPage } from '../../common/http/answers/responses.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import { MediaUrls } from '../media-files/media-urls.js';
import { LibraryMediaView, presentLibraryMedia } from './library-media.presenter.js';
import { AddLibraryMedia, ListMediaLibrary, UpdateLibraryMedia } from './media-library.dto.js';
import { MediaLibraryService } from './media-library.service.js';

@AccountController('media_library', { tag: 'Media library', reads: CREATIVES_READ, writes: CREATIVES_WRITE })
export class MediaLibraryController {
  private readonly present: ReturnType<typeof presentLibraryMedia>;

  constructor(
    private readonly library: MediaLibraryService,
    urls: MediaUrls,
  ) {
    this.present = presentLibraryMedia(urls);
  }

  /** The images, GIFs and videos that the account keeps. */
  @Get()
  @ReturnsPage(LibraryMediaView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListMediaLibrary) {
    return (await this.library.list(account, query)).map(this.present);
  }

  /** One of them. */
  @Get(':media_key')
  @ReturnsOne(LibraryMediaView)
  async get(@CurrentAccount() account: ActingAccount, @Param('media_key') key: string, @Params() query: OneQuery) {
    return this.present(await this.library.get(account, key, query));
  }

  /** Adds what was uploaded. In-stream videos, and images of the standard sizes, become account media by it. */
  @Post()
  @ReturnsMade(LibraryMediaView)
  async add(@CurrentAccount() account: ActingAccount, @ParsedParams(AddLibraryMedia) request: Parsed<AddLibraryMedia>) {
    return (await this.library.add(account, request)).map(this.present);
  }

  /** Changes what is said of one; an empty text unsets it. */
  @Put(':media_key')
  @ReturnsOne(LibraryMediaView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('media_key') key: string,
    @ParsedParams(UpdateLibraryMedia) request: Parsed<UpdateLibraryMedia>,
  ) {
    return this.present(await this.library.update(account, key, request));
  }

  /** Takes one out of the library; posts and cards that have it keep it. */
  @Delete(':media_key')
  @ReturnsOne(LibraryMediaView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('media_key') key: string) {
    return this.present(await this.library.delete(account, key));
  }
}
