import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { nextAfterStored, unlessSet } from '../../common/db/query/computed.js';
import { deleteInBatches } from '../../common/db/query/delete-in-batches.js';
import { lockName } from '../../common/db/query/name-lock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { write } from '../../common/db/query/write.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { newId } from '../../common/entity/ids.js';
import { removedName, withoutPerson, type RemovedPerson } from '../../common/entity/removed-person.js';
import { enqueue, enqueueWrite, notifyWorkers } from '../../common/jobs/enqueue.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { inPages } from '../../common/list/in-pages.js';
import { AccessToken } from '../credentials/access-token.entity.js';
import { Application } from '../credentials/application.entity.js';
import { CallersService } from '../credentials/callers.service.js';
import { storeTokensRevoked } from '../credentials/token-revoked.event.js';
import { User } from '../credentials/user.entity.js';
import { AuthorizationCode, Grant, GrantToken } from '../grants/grant.entity.js';
import { GrantsService } from '../grants/grants.service.js';
import { IdempotentRequest } from '../idempotency/idempotent-request.entity.js';
import { RequestToken } from '../oauth1/request-token.entity.js';
import { Session } from '../sessions/session.entity.js';
import { SignInAttempts } from '../sessions/sign-in-attempts.js';
import { defineJob } from '../../common/jobs/job.js';
import { lostRemovals } from './user-removal.statements.js';

/** The user cannot be deleted yet; the message says what to do first. */
export class UserRemovalRefused extends Error {}

/** The domains that keep something of users, in the order in which they remove it. */
const DOMAINS = [
  'accounts',
  'creatives',
  'measurement',
  'audiences',
  'engagements',
  'campaigns',
  'catalogs',
  // what receivers answered, after the history that events show is rewritten
  'webhooks',
  // its snapshots and its journal are copies of what the others show
  'workbench',
] as const;

/** The work of a domain when a user is deleted. */
export interface RemovalStep {
  domain: (typeof DOMAINS)[number];
  /** Why the user cannot be deleted yet; asked before, and in the transaction that deletes them. */
  refusal?(db: EntityManager, userId: string): Promise<string | undefined>;
  /**
   * Removes what the domain keeps of the user, a little at a time. Called again from its beginning after the process was
   * killed, and perhaps by two processes at once. Throws where the signal is aborted.
   */
  remove(user: RemovedPerson, signal: AbortSignal): Promise<void>;
  /**
   * Deletes the copies of what other domains keep, and returns how many there were. Somebody may have restored one meanwhile, so
   * everything is removed again after it.
   */
  removeCopies?(user: RemovedPerson, signal: AbortSignal): Promise<number>;
  /** Removes what the domains find the user by, when nothing else is left. */
  removeLast?(user: RemovedPerson, signal: AbortSignal): Promise<void>;
}

/** The access that ended at once with a user. */
export interface EndedAccess {
  sessions: number;
  accessTokens: number;
  /** Of OAuth 2.0. */
  grants: number;
}

/** Requests that began before the user was deleted have ended by then, and with them what they store. */
const DELAY_SECONDS = 15;
/** Others may restore snapshots about the user again and again. */
const MAX_ROUNDS = 3;
const BATCH = 500;
/** Removals are looked at this long after the deletion. */
const RESUMED_MS = 3_600_000;

/**
 * Deletes users. Nobody can act as them at once; what is kept of them is removed by a job, domain by domain. The username and
 * the name stay in their row until all else is removed, because the steps need them to find what is left.
 */
@Injectable()
export class UserRemoval implements OnModuleInit {
  private readonly steps = new Map<string, RemovalStep>();

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly callers: CallersService,
    private readonly grants: GrantsService,
    private readonly attempts: SignInAttempts,
  ) {}

  onModuleInit(): void {
    this.jobs.work(USER_DELETED, ({ userId, isInvented }, { signal }) => this.finish(userId, signal, isInvented));
  }

  /** Has a domain take part; to be called while the application starts. */
  register(step: RemovalStep): void {
    this.steps.set(step.domain, step);
  }

  /**
   * Ends everything that the user can act with, and enqueues the removal of the rest. Returns undefined where there is no such
   * user; throws UserRemovalRefused where a domain refuses. `isInvented` says that the user was made for a namespace.
   */
  delete(userId: string, db = this.db.manager, isInvented = false): Promise<EndedAccess | undefined> {
    return retrying(() =>
      db.transaction(async (tx) => {
        // two users who rely on each other to stay are not deleted at the same time
        await lockName(tx, 'user removal');
        const user = await rows(tx, User).where('id', userId).setLock('pessimistic_write').getOne();
        if (!user) return undefined;
        await this.check(userId, tx);
        const now = this.clock.now();
        const time = now.toISOString();
        await rows(tx, User)
          .where('id', userId)
          .update({ deletedAt: time, passwordHash: null, updatedAt: nextAfterStored(time) });
        await rows(tx, RequestToken).where('userId', userId).where('endedAt', null).update({ endedAt: time });
        const sessions = await rows(tx, Session).where('userId', userId).delete();
        const tokens = await rows(tx, AccessToken)
          .where('userId', userId)
          .where('revokedAt', null)
          .update({ revokedAt: time });
        const grants = await this.grants.revoke(tx, { userId });
        // one event for each application
        const others = new Map(tokens.map((token) => [token.applicationId, token]));
        for (const { applicationId } of grants) others.delete(applicationId);
        await storeTokensRevoked(tx, [...others.values()], now);
        await this.callers.invalidate(tx);
        await enqueue(tx, USER_DELETED, { userId, ...(isInvented && { isInvented }) }, { delaySeconds: DELAY_SECONDS });
        return { sessions, accessTokens: tokens.length, grants: grants.length };
      }),
    );
  }

  /** Removes what is kept of a deleted user. Does nothing where all of it is removed, or the user is not deleted. */
  async finish(userId: string, signal: AbortSignal = new AbortController().signal, isInvented = false): Promise<void> {
    const stored = await rows(this.db.manager, User)
      .withDeleted()
      .where('id', userId)
      .whereDistinctFrom('deletedAt', null)
      .whereDistinctFrom('name', '')
      .getOne();
    if (!stored) return;
    const user = { ...stored, isInvented };
    const steps = DOMAINS.flatMap((domain) => this.steps.get(domain) ?? []);
    for (let rounds = 1, copies = 1; copies > 0 && rounds <= MAX_ROUNDS; rounds++) {
      for (const step of steps) {
        signal.throwIfAborted();
        await step.remove(user, signal);
      }
      copies = 0;
      signal.throwIfAborted();
      for (const step of steps) copies += (await step.removeCopies?.(user, signal)) ?? 0;
    }
    signal.throwIfAborted();
    for (const step of steps) await step.removeLast?.(user, signal);
    await this.removeAccess(user, signal);
    signal.throwIfAborted();
    await this.removeName(user);
  }

  /**
   * Enqueues the removals again that ended without success, such as after a week of failures. A removal that waits or runs is left
   * alone.
   */
  async resume(): Promise<void> {
    const before = new Date(this.clock.ms() - RESUMED_MS).toISOString();
    const lost = await lostRemovals(this.db.manager, { job: USER_DELETED.name, before, limit: BATCH });
    if (lost.length === 0) return;
    await write(this.db.manager, [enqueueWrite(USER_DELETED, lost)]);
    notifyWorkers(this.db.manager, USER_DELETED);
  }

  /** Throws UserRemovalRefused where the user cannot be deleted now. */
  async check(userId: string, db: EntityManager = this.db.manager): Promise<void> {
    const reasons: string[] = [];
    for (const domain of DOMAINS) {
      const reason = await this.steps.get(domain)?.refusal?.(db, userId);
      if (reason !== undefined) reasons.push(reason);
    }
    if (reasons.length > 0) throw new UserRemovalRefused(reasons.join('; '));
  }

  /** Tokens, sessions and failed sign-ins of the user, and their names in those of their applications. */
  private async removeAccess(user: Row<User>, signal: AbortSignal): Promise<void> {
    const { manager } = this.db;
    const grants = () => rows(manager, Grant).where('userId', user.id);
    const left = [
      rows(manager, AuthorizationCode).whereInSubquery('grantId', grants(), 'id'),
      rows(manager, GrantToken).whereInSubquery('grantId', grants(), 'id'),
      grants(),
      rows(manager, AccessToken).where('userId', user.id),
      rows(manager, RequestToken).where('userId', user.id),
      rows(manager, Session).where('userId', user.id),
      rows(manager, IdempotentRequest).where('userId', user.id),
    ];
    for (const each of left) await deleteInBatches(each, { batch: BATCH, signal });
    await this.attempts.forget(user.username);
    const owned = () => rows(manager, Application).withDeleted().where('ownerId', user.id);
    for await (const { id, name } of inPages(this.db, owned, 'id')) {
      signal.throwIfAborted();
      const changed = withoutPerson(name, user);
      if (changed !== name) await rows(manager, Application).withDeleted().where('id', id).update({ name: changed });
    }
  }

  /** The last of it: a row without a name says that nothing is left to do. */
  private async removeName({ id }: Row<User>): Promise<void> {
    const remove = (username: string) =>
      rows(this.db.manager, User)
        .withDeleted()
        .where('id', id)
        .update({
          username,
          name: '',
          passwordHash: null,
          suspendedAt: null,
          deletedAt: unlessSet<string | null>(this.clock.now().toISOString()),
          updatedAt: nextAfterStored(this.clock.now().toISOString()),
        });
    try {
      await remove(removedName(id));
    } catch (error) {
      if (sqlStateOf(error).constraint !== 'users_username') throw error;
      // somebody else has called themselves so
      await remove(`deleted_${newId(this.clock.now())}`);
    }
  }
}

/**
 * A user was deleted. The transaction that deletes them enqueues this, so that every domain removes what it keeps of them.
 */
const USER_DELETED = defineJob<{ userId: string; isInvented?: boolean }>('user-deleted', {
  timeoutSeconds: 3_600,
  retries: 16,
});
