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
import { accountNotFound } from '../../common/errors/catalogue.js';
import { Message } from '../../common/http/answers/message.js';
import { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { Config, withoutSlash } from '../../config.js';
import { invalidUserId } from '../creatives.errors.js';
import { PreviewNotification } from '../entities/preview-notification.entity.js';
import { DraftPost } from '../entities/draft-post.entity.js';
import { DRAFT_POSTS } from './draft-post.resource.js';
import { DraftPostWrites } from './draft-post.writes.js';
import type { CreateDraftPost, ListDraftPosts, UpdateDraftPost } from './draft-posts.dto.js';

@Injectable()
export class DraftPostsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly resources: Resources,
    private readonly writes: DraftPostWrites,
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

  create(account: ActingAccount, request: Parsed<CreateDraftPost>): Promise<Row<DraftPost>> {
    return this.resources.perform(account, this.writes.create, request);
  }

  update(account: ActingAccount, id: string, request: Parsed<UpdateDraftPost>): Promise<Row<DraftPost>> {
    return this.resources.perform(account, this.writes.update, request.with({ draft_post_id: id }));
  }

  delete(account: ActingAccount, id: string): Promise<Row<DraftPost>> {
    return this.resources.perform(account, this.writes.delete, Parsed.whole({ draft_post_id: id }));
  }

  /** Adds the draft to the notifications of the caller. No other user sees it. */
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

  /** Query for the drafts of an account. */
  of(account: { id: string }) {
    return this.resources.of(account, DRAFT_POSTS);
  }
}
