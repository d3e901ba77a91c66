import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { TimedAuthor } from '../../accounts/change-log/change-log.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { TimedWorks } from '../../accounts/times/timed-work.js';
import { Clock } from '../../common/time/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { ApiError, ApiErrors } from '../../common/errors/api-error.js';
import type { TimeSource } from '../../common/time/frozen-time.js';
import { enqueueWrite, notifyWorkers, type EnqueueOptions } from '../../common/jobs/enqueue.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { problemsOfPublishing } from '../composition/composition.rules.js';
import { PostComposer } from '../composition/post-composer.service.js';
import { duplicatePost } from '../creatives.errors.js';
import { UNIQUE_POST_INDEX } from '../entities/post.entity.js';
import { SCHEDULED_POSTS, ScheduledPost } from '../entities/scheduled-post.entity.js';
import { PostPublication } from '../posts/post-publication.service.js';
import { PublishedPosts, SCHEDULED_POST_PUBLISHED } from './published-posts.js';
import { isDue } from './scheduled-post.rules.js';
import { countDueIn, duePostsAt, duePostsIn, type DuePost } from './scheduled-post.statements.js';

/** No retries: the next run starts in a few seconds. */
export const PUBLISH_SCHEDULED_POSTS = defineJob('publish-scheduled-posts', { timeoutSeconds: 120, retries: 0 });

const EVERY_SECONDS = 5;
/** Batch size of the lookup, and number of concurrent publications. */
const STEP = 100;
const AT_ONCE = 4;
/** When the job runs for a post of an account with a test clock. */
const PRECAUTION: EnqueueOptions = { delaySeconds: 60 };

/** In whose name a post is published. */
interface Publisher extends TimedAuthor {
  /** Whether it waits for a process that has locked the post, as an advancing test clock does. */
  waits?: boolean;
}

/**
 * Publishes scheduled posts at their minute, including those whose minute passed while no process ran. Each is
 * published in its own transaction under its row lock: exactly once, with any number of processes and after any crash.
 */
@Injectable()
export class ScheduledPostsJob implements OnModuleInit {
  private readonly logger = new Logger('ScheduledPosts');

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly resources: Resources,
    private readonly composer: PostComposer,
    private readonly publication: PostPublication,
    private readonly timed: TimedWorks,
    private readonly published: PublishedPosts,
  ) {}

  onModuleInit(): void {
    this.jobs.work(PUBLISH_SCHEDULED_POSTS, (_, { signal }) => this.publishDue(signal));
    this.jobs.schedule(PUBLISH_SCHEDULED_POSTS, { everySeconds: EVERY_SECONDS });
    const { manager } = this.db;
    this.timed.register({
      name: 'scheduled posts',
      count: (accountIds, until) => countDueIn(manager, accountIds, until),
      due: async (accountIds, until, limit) => {
        const due = await duePostsIn(manager, accountIds, until, limit);
        return due.map((each) => ({
          id: each.id,
          at: each.scheduledAt,
          run: (times) => this.publishInOrder(each, times),
        }));
      },
    });
  }

  /** Processes all due posts once, in batches; the signal ends it early. */
  async publishDue(signal?: AbortSignal): Promise<void> {
    let last: DuePost | undefined;
    do {
      const due = await duePostsAt(this.db.manager, this.clock.now().toISOString(), STEP, last);
      for (let from = 0; from < due.length && !signal?.aborted; from += AT_ONCE)
        await Promise.all(due.slice(from, from + AT_ONCE).map((each) => this.settle(each)));
      last = due.length === STEP ? due.at(-1) : undefined;
    } while (last && !signal?.aborted);
  }

  /** Publishes one, or records why it cannot be published. Database errors are retried in a few seconds. */
  private async settle(due: DuePost): Promise<void> {
    const by = { id: due.accountId, userId: due.callerId, db: this.db.manager, now: () => this.clock.now() };
    try {
      await this.publishOrFail(due.id, by);
    } catch (error) {
      this.logger.error(`The scheduled post ${due.id} could not be published: ${failureReasonOf(error)}`);
    }
    notifyWorkers(this.db.manager, SCHEDULED_POST_PUBLISHED);
  }

  /**
   * Publishes one of an account with a test clock, and does at once what depends on it. The job for that is a
   * precaution: it finds something to do if this process ends in between.
   */
  private async publishInOrder({ id, accountId, callerId }: DuePost, times: TimeSource): Promise<void> {
    const by = { id: accountId, userId: callerId, db: this.db.manager, ...times, waits: true };
    const postId = await this.publishOrFail(id, by, PRECAUTION);
    if (postId !== undefined) await this.published.tell(id, postId);
  }

  /** Returns the id of the post, if it was published. */
  private async publishOrFail(id: string, by: Publisher, options?: EnqueueOptions): Promise<string | undefined> {
    try {
      return await this.publish(id, by, options);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      await this.fail(id, by, refusal);
      return undefined;
    }
  }

  private async publish(id: string, by: Publisher, options?: EnqueueOptions): Promise<string | undefined> {
    let postId: string | undefined;
    await this.edit(by, id, async (unit, scheduled) => {
      postId = undefined;
      const { db, now } = unit;
      const context = await this.composer.look(by, scheduled, db);
      const [problem] = problemsOfPublishing(scheduled, context);
      if (problem) return void unit.update(id, failed(problem, now));
      const { post, writes } = await this.publication.publish(by, scheduled, now, db);
      unit.require(...this.composer.needs(context));
      unit.addWrite(
        ...writes,
        enqueueWrite(SCHEDULED_POST_PUBLISHED, [{ scheduledPostId: id, postId: post.id }], options),
      );
      unit.update(id, { scheduledStatus: 'SUCCESS', completedAt: now.toISOString(), postId: post.id });
      postId = post.id;
    });
    return postId;
  }

  /** Under a deleted account, only the failure itself is recorded. */
  private async fail(id: string, by: Publisher, refusal: ApiError): Promise<void> {
    if (refusal.detail.parameter === 'account_id') {
      const dead = rows(this.db.manager, ScheduledPost)
        .where('accountId', by.id)
        .where('id', id)
        .whereLiteral('scheduledStatus', 'SCHEDULED');
      return void (await dead.update(failed(refusal, by.now())));
    }
    await this.edit(by, id, (unit) => {
      unit.update(id, failed(refusal, unit.now));
    });
  }

  /** Edits a post that is still due; skips one that another process has locked, unless `by` waits. */
  private async edit(
    by: Publisher,
    id: string,
    work: (unit: UnitOfWork<ScheduledPost, TimedAuthor>, scheduled: Row<ScheduledPost>) => void | Promise<void>,
  ): Promise<void> {
    await this.resources.changeLocked(by, SCHEDULED_POSTS, [], async (unit) => {
      const [scheduled] = await unit.lock([id], { skipLocked: !by.waits });
      if (scheduled && isDue(scheduled, unit.now)) await work(unit, scheduled);
    });
  }
}

const failed = ({ code, message }: ApiError, now: Date) => ({
  scheduledStatus: 'FAILED' as const,
  completedAt: now.toISOString(),
  failure: `${code}: ${message}`,
});

/** The permanent reason why a post cannot be published; undefined if a retry may succeed. */
function refusalOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiErrors) return error.errors[0];
  if (error instanceof ApiError) return error;
  return sqlStateOf(error).constraint === UNIQUE_POST_INDEX ? duplicatePost() : undefined;
}
