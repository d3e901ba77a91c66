import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { throwErrors } from '../../common/errors/api-error.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import {
  compositionOf,
  patchOfComposition,
  problemsOfNewComposition,
  problemsOfCompositionPatch,
} from '../composition/composition.rules.js';
import { pageOfAuthor } from '../composition/page-of-author.js';
import { PostComposer } from '../composition/post-composer.service.js';
import { SCHEDULED_POSTS, ScheduledPost } from '../entities/scheduled-post.entity.js';
import {
  DENSITY_WINDOW_MS,
  lockedProblems,
  newTime,
  scheduleProblems,
  type Schedule,
  undeletableProblems,
} from './scheduled-post.rules.js';
import type { CreateScheduledPost, ListScheduledPosts, UpdateScheduledPost } from './scheduled-posts.dto.js';

/** Lists, creates, updates and deletes scheduled posts. */
@Injectable()
export class ScheduledPostsService {
  constructor(
    private readonly resources: Resources,
    private readonly composer: PostComposer,
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
    return this.resources.changeLocked(account, SCHEDULED_POSTS, [request], async (unit) => {
      const schedule = await this.lockedSchedule(unit, request);
      const context = await this.composer.context(unit, request);
      const problems = [...problemsOfNewComposition(request, context), ...scheduleProblems(schedule)];
      const params = request.paramsUnless(problems);
      return unit.create({
        accountId: account.id,
        ...compositionOf(params.as_user_id, params),
        callerId: account.userId,
        scheduledAt: schedule.time!,
        scheduledStatus: 'SCHEDULED',
        completedAt: null,
        postId: null,
        failure: null,
      });
    });
  }

  /** Allowed until the scheduled minute. */
  update(account: ActingAccount, id: string, request: Parsed<UpdateScheduledPost>): Promise<Row<ScheduledPost>> {
    return this.resources.changeLocked(account, SCHEDULED_POSTS, [request], async (unit) => {
      const scheduled = await unit.lockOne(id);
      const schedule = await this.lockedSchedule(unit, request, scheduled);
      const context = await this.composer.context(unit, request, scheduled);
      const closed = lockedProblems(scheduled, schedule.now);
      const isMoved = schedule.time !== undefined;
      const open = () => [
        ...problemsOfCompositionPatch(request, context, scheduled, isMoved),
        ...scheduleProblems(schedule),
      ];
      const params = request.paramsUnless(closed.length > 0 ? closed : open());
      return unit.update(id, { ...patchOfComposition(params), scheduledAt: schedule.time });
    });
  }

  delete(account: ActingAccount, id: string): Promise<Row<ScheduledPost>> {
    return this.resources.changeLocked(account, SCHEDULED_POSTS, [], async (unit) => {
      throwErrors(undeletableProblems(await unit.lockOne(id, { mode: 'pessimistic_write' })));
      return unit.delete(id);
    });
  }

  /** The new time of a post. Other requests that schedule posts of the same user wait until this one is stored. */
  private async lockedSchedule(
    unit: UnitOfWork<ScheduledPost>,
    request: Parsed<Partial<CreateScheduledPost>>,
    before?: Row<ScheduledPost>,
  ): Promise<Schedule> {
    const userId = before?.userId ?? request.value('as_user_id');
    const time = newTime(request.value('scheduled_at'), before?.scheduledAt);
    if (userId === undefined || time === undefined) return { time, near: [], now: unit.now };
    await unit.lockName(`scheduled posts of ${userId}`);
    return { time, near: await timesNear(unit.db, userId, time, before?.id), now: unit.now };
  }
}

/** Times of a user's other posts scheduled around a time, in any account that is not deleted. */
async function timesNear(db: EntityManager, userId: string, at: string, own?: string): Promise<string[]> {
  const time = new Date(at).getTime();
  const near = await rows(db, ScheduledPost)
    .ofAllAccounts()
    .where('userId', userId)
    .whereInSubquery('accountId', rows(db, Account), 'id')
    .whereLiteral('scheduledStatus', 'SCHEDULED')
    .whereInRange(
      'scheduledAt',
      new Date(time - DENSITY_WINDOW_MS).toISOString(),
      new Date(time + DENSITY_WINDOW_MS).toISOString(),
    )
    .getMany();
  return near.filter(({ id }) => id !== own).map(({ scheduledAt }) => scheduledAt);
}
