import { Injectable } from '@nestjs/common';
import { defineWrite, type WriteScope } from '../../accounts/resources/define-write.js';
import { lockName } from '../../common/db/query/name-lock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import {
  compositionOf,
  patchOf,
  problemsOfNew,
  problemsOfPatch,
  type CompositionContext,
} from '../composition/composition.rules.js';
import { PostComposer } from '../composition/post-composer.service.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';
import { SCHEDULED_POSTS } from './scheduled-post.resource.js';
import {
  closedProblems,
  newTime,
  scheduleProblems,
  undeletableProblems,
  WINDOW_MS,
  type Schedule,
} from './scheduled-post.rules.js';
import type { CreateScheduledPost, UpdateScheduledPost } from './scheduled-posts.dto.js';

type Named = { scheduled_post_id: string };
type Context = CompositionContext & { schedule: Schedule };

/** Creates, updates and deletes scheduled posts. */
@Injectable()
export class ScheduledPostWrites {
  constructor(private readonly composer: PostComposer) {}

  readonly create = defineWrite<ScheduledPost, CreateScheduledPost, Context>(SCHEDULED_POSTS, {
    locking: () => ({ transaction: true }),
    context: (scope, [request]) => this.context(scope, request),
    problems: (request, context) => [...problemsOfNew(request, context), ...scheduleProblems(context.schedule)],
    apply: (unitOfWork, params, { account, schedule }) =>
      unitOfWork.create({
        accountId: account.id,
        ...compositionOf(params.as_user_id, params),
        callerId: account.userId,
        scheduledAt: schedule.time!,
        scheduledStatus: 'SCHEDULED',
        completedAt: null,
        postId: null,
        failure: null,
      }),
  });

  /** Allowed until the scheduled minute. */
  readonly update = defineWrite<ScheduledPost, UpdateScheduledPost & Named, Context>(SCHEDULED_POSTS, {
    target: 'scheduled_post_id',
    context: (scope, [request]) =>
      this.context(scope, request, scope.unitOfWork.find(request.value('scheduled_post_id')!)),
    problems: (request, context, scheduled) => {
      const { schedule } = context;
      const closed = closedProblems(scheduled, schedule.now);
      if (closed.length > 0) return closed;
      const isMoved = schedule.time !== undefined;
      return [...problemsOfPatch(request, context, scheduled, isMoved), ...scheduleProblems(schedule)];
    },
    apply: (unitOfWork, params, { schedule }, { id }) =>
      unitOfWork.update(id, { ...patchOf(params), scheduledAt: schedule.time }),
  });

  readonly delete = defineWrite<ScheduledPost, Named>(SCHEDULED_POSTS, {
    target: 'scheduled_post_id',
    locking: () => ({ lock: 'pessimistic_write' }),
    problems: (_, __, scheduled) => undeletableProblems(scheduled),
    apply: (unitOfWork, { scheduled_post_id: id }) => unitOfWork.delete(id),
  });

  /** Takes a lock: other requests that schedule posts of the same user wait until this one is stored. */
  private async context(
    scope: WriteScope<ScheduledPost>,
    request: Parsed<Partial<CreateScheduledPost>>,
    before?: Row<ScheduledPost>,
  ): Promise<Context> {
    const { unitOfWork, db } = scope;
    const userId = before?.userId ?? request.value('as_user_id');
    const time = newTime(request.value('scheduled_at'), before?.scheduledAt);
    const asksTime = userId !== undefined && time !== undefined;
    if (asksTime && db.queryRunner) await lockName(db, `scheduled posts of ${userId}`);
    const near = asksTime ? await this.timesNear(scope, userId, time, before?.id) : [];
    return { ...(await this.composer.context(scope, request, before)), schedule: { time, near, now: unitOfWork.now } };
  }

  /** Times of a user's other posts scheduled around a time, in any account. */
  private async timesNear(
    { db }: WriteScope<ScheduledPost>,
    userId: string,
    at: string,
    own?: string,
  ): Promise<string[]> {
    const time = new Date(at).getTime();
    const near = await rows(db, ScheduledPost)
      .ofAllAccounts()
      .where('userId', userId)
      .whereLiteral('scheduledStatus', 'SCHEDULED')
      .whereInRange('scheduledAt', new Date(time - WINDOW_MS).toISOString(), new Date(time + WINDOW_MS).toISOString())
      .getMany();
    return near.filter(({ id }) => id !== own).map(({ scheduledAt }) => scheduledAt);
  }
}
