import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { PromotableUsersService } from '../../accounts/promotable-users/promotable-users.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Clock } from '../../common/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { Page } from '../../common/http/page.js';
import { Card } from '../entities/card.entity.js';
import { invalidUserId, scheduledPostLimitExceeded } from '../creatives.errors.js';
import { compositionOf, patched, patchOf, problemsOfNew, problemsOfPatch } from '../composition/composition.rules.js';
import { contentOfComposition, type ShownContent } from '../composition/content.rules.js';
import { PostComposer } from '../composition/post-composer.service.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';
import { SCHEDULED_POSTS } from './scheduled-post.resource.js';
import {
  closedProblems,
  exceedsScheduleDensity,
  timeProblems,
  undeletableProblems,
  wholeMinute,
  WINDOW,
  WINDOW_MS,
} from './scheduled-post.rules.js';
import { waitsAsJudged } from './scheduled-post.statements.js';
import type { CreateScheduledPost, ListScheduledPosts, UpdateScheduledPost } from './scheduled-posts.dto.js';

@Injectable()
export class ScheduledPostsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly resources: Resources,
    private readonly composer: PostComposer,
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

  create(account: ActingAccount, params: CreateScheduledPost): Promise<Row<ScheduledPost>> {
    const composition = compositionOf(params.as_user_id, params);
    const scheduledAt = wholeMinute(params.scheduled_at);
    return this.resources.edit(
      account,
      SCHEDULED_POSTS,
      [],
      async (unitOfWork, db) => {
        const around = await this.composer.look(account, composition, db);
        refuseAny([
          ...problemsOfNew(account, Parsed.whole(params), around),
          ...timeProblems(scheduledAt, unitOfWork.now),
          ...(await this.crowdingProblems(composition.userId, scheduledAt, db)),
        ]);
        unitOfWork.require(...this.composer.needs(around));
        return unitOfWork.create({
          accountId: account.id,
          ...composition,
          callerId: account.userId,
          scheduledAt,
          scheduledStatus: 'SCHEDULED',
          completedAt: null,
          postId: null,
          failure: null,
        });
      },
      { name: timesOf(params.as_user_id) },
    );
  }

  /** What is wrong with those parameters of a new one that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreateScheduledPost>): Promise<ApiError[]> {
    const time = parsed.known('scheduled_at');
    return [
      ...problemsOfNew(account, parsed, await this.composer.look(account, this.composer.namedBy(parsed))),
      ...(time ? timeProblems(wholeMinute(time.scheduled_at), this.clock.now()) : []),
    ];
  }

  /** Until its minute. */
  async update(account: ActingAccount, id: string, params: UpdateScheduledPost): Promise<Row<ScheduledPost>> {
    const { userId } = await this.get(account, id);
    const scheduledAt = params.scheduled_at === undefined ? undefined : wholeMinute(params.scheduled_at);
    return this.resources.edit(
      account,
      SCHEDULED_POSTS,
      [id],
      async (unitOfWork, db) => {
        const before = unitOfWork.find(id);
        refuseAny(closedProblems(before, unitOfWork.now));
        const patch = patchOf(params);
        const around = await this.composer.look(account, patched(before, patch), db);
        const moved = scheduledAt !== undefined && !isSameTime(scheduledAt, before.scheduledAt);
        refuseAny([
          ...problemsOfPatch(account, before, Parsed.whole(params), around, moved),
          ...(moved ? timeProblems(scheduledAt, unitOfWork.now) : []),
          ...(moved ? await this.crowdingProblems(userId, scheduledAt, db, id) : []),
        ]);
        const after = unitOfWork.update(id, { ...patch, ...(moved && { scheduledAt }) });
        if (after !== before) unitOfWork.require(...this.composer.needs(around));
        return after;
      },
      scheduledAt === undefined ? {} : { name: timesOf(userId) },
    );
  }

  /** The same for an update, that there is no such scheduled post included. */
  async problemsOfPatch(account: ActingAccount, id: string, parsed: Parsed<UpdateScheduledPost>): Promise<ApiError[]> {
    const before = await this.get(account, id);
    const now = this.clock.now();
    const named = { ...before, ...this.composer.namedBy(parsed), userId: before.userId };
    const time = parsed.known('scheduled_at')?.scheduled_at;
    const moved = time !== undefined && !isSameTime(wholeMinute(time), before.scheduledAt);
    return [
      ...closedProblems(before, now),
      ...problemsOfPatch(account, before, parsed, await this.composer.look(account, named), moved),
      ...(moved ? timeProblems(wholeMinute(time), now) : []),
    ];
  }

  delete(account: ActingAccount, id: string): Promise<Row<ScheduledPost>> {
    return this.resources.edit(
      account,
      SCHEDULED_POSTS,
      [id],
      (unitOfWork) => {
        refuseAny(undeletableProblems(unitOfWork.find(id)));
        return unitOfWork.delete(id);
      },
      { lock: 'pessimistic_write' },
    );
  }

  /** The scheduled posts of an account, to be narrowed and read. */
  of(account: { id: string }) {
    return this.resources.of(account, SCHEDULED_POSTS);
  }

  /**
   * A scheduled post that an account may promote once it is live: its own, or another account's for a promotable user of this
   * one; with what it shows. `reposter`: the FULL promotable user who is going to repost it, where it is another
   * user's. Undefined where there is none.
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

  /** Scheduled posts, deleted ones too, of whatever account: for what was made to depend on them. */
  async byId(ids: readonly string[], db = this.db.manager): Promise<Map<string, Row<ScheduledPost>>> {
    const found = await rows(db, ScheduledPost)
      .withDeleted()
      .whereIn('id', [...new Set(ids)])
      .getMany();
    return new Map(found.map((each) => [each.id, each]));
  }

  /** That it waits still, and as it was judged, where something is stored that depends on it. */
  waits(scheduled: Row<ScheduledPost>): Precondition {
    return waitsAsJudged(scheduled);
  }

  /** At most 30 in any 15 minutes, of one user over all accounts; asked while `timesOf` the user is locked. */
  private async crowdingProblems(userId: string, at: string, db: EntityManager, own?: string): Promise<ApiError[]> {
    const time = new Date(at).getTime();
    const near = rows(db, ScheduledPost)
      .where('userId', userId)
      .whereLiteral('scheduledStatus', 'SCHEDULED')
      .whereInRange('scheduledAt', new Date(time - WINDOW_MS).toISOString(), new Date(time + WINDOW_MS).toISOString());
    const others = (await near.getMany()).filter(({ id }) => id !== own);
    const isFull = exceedsScheduleDensity(
      others.map(({ scheduledAt }) => scheduledAt),
      at,
    );
    return isFull ? [scheduledPostLimitExceeded(WINDOW.most, WINDOW.minutes)] : [];
  }
}

/** What is locked by whoever schedules posts of a user. */
const timesOf = (userId: string) => `scheduled posts of ${userId}`;

const isSameTime = (one: string, other: string) => new Date(one).getTime() === new Date(other).getTime();
