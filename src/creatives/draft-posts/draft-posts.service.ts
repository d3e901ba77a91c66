import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { PromotableUsersService } from '../../accounts/promotable-users/promotable-users.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { User } from '../../auth/credentials/user.entity.js';
import { Clock } from '../../common/clock.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, write } from '../../common/db/query/write.js';
import { newRow } from '../../common/db/query/new-row.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import { Message } from '../../common/http/message.js';
import { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { Page } from '../../common/http/page.js';
import { Config, withoutSlash } from '../../config.js';
import { invalidUserId } from '../creatives.errors.js';
import { PreviewNotification } from '../entities/preview-notification.entity.js';
import { compositionOf, patched, patchOf, problemsOfNew, problemsOfPatch } from '../composition/composition.rules.js';
import { PostComposer } from '../composition/post-composer.service.js';
import { DraftPost } from '../entities/draft-post.entity.js';
import { DRAFT_POSTS } from './draft-post.resource.js';
import type { CreateDraftPost, ListDraftPosts, UpdateDraftPost } from './draft-posts.dto.js';

@Injectable()
export class DraftPostsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly resources: Resources,
    private readonly composer: PostComposer,
    private readonly users: PromotableUsersService,
    private readonly config: Config,
  ) {}

  async list(account: ActingAccount, query: ListDraftPosts): Promise<Page<Row<DraftPost>>> {
    const user = await this.users.find(account, query.user_id);
    if (!user && query.user_id !== undefined) throw invalidUserId('user_id', query.user_id);
    if (!user) return new Page([], null, query.with_total_count ? 0 : undefined);
    return page(this.of(account).where('userId', user.userId), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<Row<DraftPost>> {
    return one(this.of(account), id, DRAFT_POSTS.notFoundError(account), query);
  }

  create(account: ActingAccount, params: CreateDraftPost): Promise<Row<DraftPost>> {
    const composition = compositionOf(params.as_user_id, params);
    return this.resources.edit(account, DRAFT_POSTS, [], async (unitOfWork, db) => {
      const around = await this.composer.look(account, composition, db);
      refuseAny(problemsOfNew(account, Parsed.whole(params), around));
      unitOfWork.require(...this.composer.needs(around));
      return unitOfWork.create({ accountId: account.id, ...composition });
    });
  }

  /** What is wrong with those parameters of a new draft that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreateDraftPost>): Promise<ApiError[]> {
    return problemsOfNew(account, parsed, await this.composer.look(account, this.composer.namedBy(parsed)));
  }

  update(account: ActingAccount, id: string, params: UpdateDraftPost): Promise<Row<DraftPost>> {
    return this.resources.edit(account, DRAFT_POSTS, [id], async (unitOfWork, db) => {
      const before = unitOfWork.find(id);
      const patch = patchOf(params);
      const around = await this.composer.look(account, patched(before, patch), db);
      refuseAny(problemsOfPatch(account, before, Parsed.whole(params), around));
      const after = unitOfWork.update(id, patch);
      if (after !== before) unitOfWork.require(...this.composer.needs(around));
      return after;
    });
  }

  /** The same for an update, that there is no such draft included. */
  async problemsOfPatch(account: ActingAccount, id: string, parsed: Parsed<UpdateDraftPost>): Promise<ApiError[]> {
    const before = await this.get(account, id);
    const named = { ...before, ...this.composer.namedBy(parsed), userId: before.userId };
    return problemsOfPatch(account, before, parsed, await this.composer.look(account, named));
  }

  delete(account: ActingAccount, id: string): Promise<Row<DraftPost>> {
    return this.resources.delete(account, DRAFT_POSTS, id);
  }

  /** Whoever asks, and nobody else, finds the draft among their notifications. */
  async preview(account: ActingAccount, id: string): Promise<Message> {
    const unknown = () => DRAFT_POSTS.notFoundError(account)(id);
    await this.get(account, id);
    const user = await rows(this.db.manager, User).where('id', account.userId).getOne();
    await retrying(() => {
      const notification: Row<PreviewNotification> = {
        ...newRow(this.clock.now()),
        userId: account.userId,
        accountId: account.id,
        draftPostId: id,
        seen: false,
      };
      return write(
        this.db.manager,
        [insert(PreviewNotification, [notification])],
        [exists(Account, account.id, () => accountNotFound(account.id)), exists(DraftPost, id, unknown)],
      );
    });
    const page = `${withoutSlash(this.config.baseUrl)}/notifications`;
    return new Message(`See @${user?.username}'s notifications to preview your draft post: ${page}`);
  }

  /** The drafts of an account, to be narrowed and read. */
  of(account: { id: string }) {
    return this.resources.of(account, DRAFT_POSTS);
  }
}
