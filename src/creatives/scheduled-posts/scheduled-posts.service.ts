import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { pageOfAuthor } from '../composition/page-of-author.js';
import type { ScheduledPost } from '../entities/scheduled-post.entity.js';
import { SCHEDULED_POSTS } from './scheduled-post.resource.js';
import { ScheduledPostWrites } from './scheduled-post.writes.js';
import type { CreateScheduledPost, ListScheduledPosts, UpdateScheduledPost } from './scheduled-posts.dto.js';

/** Lists, creates, updates and deletes scheduled posts. */
@Injectable()
export class ScheduledPostsService {
  constructor(
    private readonly resources: Resources,
    private readonly writes: ScheduledPostWrites,
    private readonly users: PromotableUserCache,
  ) {}

  list(account: ActingAccount, query: ListScheduledPosts): Promise<Page<Row<ScheduledPost>>> {
    const posts = this.resources.of(account, SCHEDULED_POSTS);
    return pageOfAuthor(this.users, account, query, ({ userId }) => page(posts.where('userId', userId), query));
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<Row<ScheduledPost>> {
    const posts = this.resources.of(account, SCHEDULED_POSTS);
    return one(posts, id, SCHEDULED_POSTS.notFoundError(account), query);
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
}
