import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { PromotableUsersService } from '../../accounts/promotable-users/promotable-users.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { Card } from '../entities/card.entity.js';
import { invalidUserId } from '../creatives.errors.js';
import { contentOfComposition, type ShownContent } from '../composition/content.rules.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';
import { SCHEDULED_POSTS } from './scheduled-post.resource.js';
import { isWaitingUnchanged } from './scheduled-post.statements.js';
import { ScheduledPostWrites } from './scheduled-post.writes.js';
import type { CreateScheduledPost, ListScheduledPosts, UpdateScheduledPost } from './scheduled-posts.dto.js';

@Injectable()
export class ScheduledPostsService {
  constructor(
    private readonly db: DataSource,
    private readonly resources: Resources,
    private readonly writes: ScheduledPostWrites,
    private readonly users: PromotableUsersService,
  ) {}

  async list(account: ActingAccount, query: ListScheduledPosts): Promise<Page<Row<ScheduledPost>>> {
    const user = await this.users.find(account, query.user_id);
    if (!user && query.user_id !== undefined) throw invalidUserId('user_id', query.user_id);
    if (!user) return new Page([], null, query.with_total_count ? 0 : undefined);
    return page(this.of(account).where('userId', user.userId), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<Row<ScheduledPost>> {
    return one(this.of(account), id, SCHEDULED_POSTS.notFoundError(account), query);
  }

  create(account: ActingAccount, request: Parsed<CreateScheduledPost>): Promise<Row<ScheduledPost>> {
    return this.resources.perform(account, this.writes.create, request);
  }

  update(account: ActingAccount, id: string, request: Parsed<UpdateScheduledPost>): Promise<Row<ScheduledPost>> {
    return this.resources.perform(account, this.writes.update, request.with({ scheduled_post_id: id }));
  }

  delete(account: ActingAccount, id: string): Promise<Row<ScheduledPost>> {
    return this.resources.perform(account, this.writes.delete, Parsed.whole({ scheduled_post_id: id }));
  }

  /** Query for the scheduled posts of an account. */
  of(account: { id: string }) {
    return this.resources.of(account, SCHEDULED_POSTS);
  }

  /**
   * A scheduled post that the account may promote after publication, and its content: its own, or another account's for
   * a promotable user of this account. `reposter`: the FULL promotable user who will repost another user's post.
   * Undefined if there is none.
   */
  async promotable(
    account: { id: string },
    id: string,
    db = this.db.manager,
  ): Promise<{ scheduled: Row<ScheduledPost>; content: ShownContent; reposter?: string } | undefined> {
    const scheduled = await rows(db, ScheduledPost).where('id', id).getOne();
    if (!scheduled) return undefined;
    const { userId, cardId } = scheduled;
    const [user, full, card] = await Promise.all([
      scheduled.accountId === account.id ? true : this.users.find(account, userId, db),
      this.users.find(account, undefined, db),
      cardId === null ? undefined : rows(db, Card).where('id', cardId).getOne(),
    ]);
    if (!user) return undefined;
    const isReposted = full !== undefined && full.userId !== userId;
    return {
      scheduled,
      content: contentOfComposition(scheduled, card),
      ...(isReposted && { reposter: full.userId }),
    };
  }

  /** Scheduled posts of any account by id, including deleted ones, for rows that depend on them. */
  async byId(ids: readonly string[], db = this.db.manager): Promise<Map<string, Row<ScheduledPost>>> {
    const found = await rows(db, ScheduledPost)
      .withDeleted()
      .whereIn('id', [...new Set(ids)])
      .getMany();
    return new Map(found.map((each) => [each.id, each]));
  }

  /** Precondition that the post is unchanged and not published when a dependent write is stored. */
  waits(scheduled: Row<ScheduledPost>): Precondition {
    return isWaitingUnchanged(scheduled);
  }
}
