import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Application } from '../../auth/credentials/application.entity.js';
import { ApplicationQueries } from '../../auth/credentials/application.queries.js';
import { Clock } from '../../common/time/clock.js';
import { changeCounters, countersOf, isLimitReached, type CounterChange } from '../../common/db/counters/counters.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying, whenUnlocked } from '../../common/db/query/retry.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { deletePermanently, insert, write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { invalidToken } from '../../common/errors/catalogue.js';
import { Unavailable } from '../../common/errors/unavailable.js';
import { Page } from '../../common/http/answers/page.js';
import { tokenPage } from '../../common/list/token-page.js';
import { KeyedSemaphore, type QueueLimits } from '../../common/concurrency/semaphore.js';
import { namespaceInNamespace, namespaceLimitReached, namespaceNotFound } from '../workbench.errors.js';
import { NamespaceContents, type NamespaceKeys } from './namespace-contents.js';
import { COUNTED_NAMESPACES, MAX_NAMESPACES, Namespace } from './namespace.entity.js';
import type { CreateNamespace, ListNamespaces, UpdateNamespace } from './namespaces.dto.js';

/** Maximum number of namespaces of an application that a process creates or deletes at a time: runs of tests begin together. */
const MAX_AT_ONCE = 2;
const IN_TIME: QueueLimits = {
  maxQueued: MAX_NAMESPACES,
  timeoutMs: 20_000,
  refusal: () => new Unavailable('too many namespaces are created or deleted'),
};

/**
 * Creates and deletes namespaces. Each is created and deleted in one transaction: a process that is killed leaves all of
 * it or nothing.
 */
@Injectable()
export class NamespacesService {
  private readonly atOnce = new KeyedSemaphore(MAX_AT_ONCE);

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly contents: NamespaceContents,
    private readonly applications: ApplicationQueries,
  ) {}

  /** The namespaces of an application that have not expired, newest first. */
  async list(applicationId: string, query: ListNamespaces): Promise<Page<Row<Namespace>>> {
    // a condition with the time would be another one on the next page; the job deletes expired ones within a minute
    const of = rows(this.db.manager, Namespace).where('applicationId', applicationId);
    const { items, nextCursor } = await tokenPage(of, query);
    const active = items.filter(({ expiresAt }) => Date.parse(expiresAt) > this.clock.ms());
    return new Page(active, nextCursor);
  }

  /** A namespace of this application; 404 for any other, and for those that have expired. */
  async get(applicationId: string, id: string): Promise<Row<Namespace>> {
    const found = await this.of(applicationId).where('id', id).getOne();
    if (!found) throw namespaceNotFound(id);
    return found;
  }

  /** The application of a namespace of this application; this application itself without one. */
  async applicationOf(applicationId: string, id: string | undefined): Promise<string> {
    return id === undefined ? applicationId : (await this.get(applicationId, id)).innerApplicationId;
  }

  /** The user in a namespace with this application, if this user owns the application that created it. */
  async userFor(innerApplicationId: string, ownerId: string): Promise<string | undefined> {
    const namespace = await rows(this.db.manager, Namespace)
      .where('innerApplicationId', innerApplicationId)
      .whereMoreThan('expiresAt', this.clock.now().toISOString())
      .getOne();
    const creator = namespace && (await this.applications.findById(namespace.applicationId));
    return creator?.ownerId === ownerId ? namespace?.userId : undefined;
  }

  /** Creates a namespace. Its secrets are not shown again. */
  async create(
    applicationId: string,
    { name, ttl }: CreateNamespace,
  ): Promise<{ namespace: Row<Namespace>; keys: NamespaceKeys }> {
    await this.check(applicationId);
    return this.inTransaction(applicationId, async (tx) => {
      const now = this.clock.now();
      const id = newId(now);
      const named = { id, name: name ?? `Namespace ${id}` };
      const { contents, keys } = await this.contents.create(tx, named, now);
      const namespace: Row<Namespace> = {
        applicationId,
        createdAt: now.toISOString(),
        expiresAt: secondsAfter(now, ttl),
        ...named,
        ...contents,
      };
      // last, because other namespaces wait for the counter
      await write(
        tx,
        [insert(Namespace, [namespace]), ...changeCounters([counted(applicationId, 1)])],
        [exists(Application, { id: applicationId }, invalidToken)],
      );
      return { namespace, keys };
    }).catch((error: unknown) => {
      throw isLimitReached(error) ? namespaceLimitReached(MAX_NAMESPACES) : error;
    });
  }

  /** Gives a namespace another expiry, counted from now. */
  async update(applicationId: string, id: string, { ttl }: UpdateNamespace): Promise<Row<Namespace>> {
    const [changed] = await this.of(applicationId)
      .where('id', id)
      .update({ expiresAt: secondsAfter(this.clock.now(), ttl) });
    if (!changed) throw namespaceNotFound(id);
    return changed;
  }

  /** Deletes a namespace of this application with all that is in it. */
  async delete(applicationId: string, id: string): Promise<void> {
    const existed = await this.inTransaction(applicationId, async (tx) => {
      const namespace = await rows(tx, Namespace)
        .where('applicationId', applicationId)
        .where('id', id)
        .setLock('pessimistic_write')
        .getOne();
      return namespace !== undefined && this.remove(tx, namespace);
    });
    if (!existed) throw namespaceNotFound(id);
  }

  /**
   * Deletes a namespace if it has expired; false if it has not, or is gone, or another process deletes it right now.
   */
  deleteExpired({ id, applicationId }: Pick<Namespace, 'id' | 'applicationId'>): Promise<boolean> {
    return this.inTransaction(applicationId, async (tx) => {
      const namespace = await rows(tx, Namespace)
        .where('id', id)
        .whereLessThan('expiresAt', this.clock.now().toISOString())
        .setLock('pessimistic_write')
        .setOnLocked('skip_locked')
        .getOne();
      return namespace !== undefined && this.remove(tx, namespace);
    });
  }

  /** At most `limit` namespaces that have expired, the first of them first. */
  expired(limit: number): Promise<Row<Namespace>[]> {
    return rows(this.db.manager, Namespace)
      .whereLessThan('expiresAt', this.clock.now().toISOString())
      .orderBy('expiresAt')
      .limit(limit)
      .getMany();
  }

  private async remove(tx: EntityManager, namespace: Row<Namespace>): Promise<boolean> {
    const { id, applicationId } = namespace;
    await this.contents.remove(tx, namespace);
    await write(tx, [deletePermanently(Namespace, [{ id }]), ...changeCounters([counted(applicationId, -1)])]);
    return true;
  }

  /** Throws before any work is done in vain. */
  private async check(applicationId: string): Promise<void> {
    const { manager } = this.db;
    const [isInside, counters] = await Promise.all([
      rows(manager, Namespace).where('innerApplicationId', applicationId).getExists(),
      countersOf(manager, [applicationId]),
    ]);
    if (isInside) throw namespaceInNamespace();
    const counter = counters.find(({ kind }) => kind === COUNTED_NAMESPACES);
    if (counter && counter.value >= counter.limit) throw namespaceLimitReached(counter.limit);
  }

  private of(applicationId: string) {
    return rows(this.db.manager, Namespace)
      .where('applicationId', applicationId)
      .whereMoreThan('expiresAt', this.clock.now().toISOString());
  }

  private inTransaction<R>(applicationId: string, work: (tx: EntityManager) => Promise<R>): Promise<R> {
    const attempt = () => inTransactionFor(this.db.manager, `namespaces of ${applicationId}`, work, { autosave: true });
    return this.atOnce.run(applicationId, () => retrying(() => whenUnlocked(attempt)), IN_TIME);
  }
}

const counted = (applicationId: string, by: number): CounterChange => ({
  ownerId: applicationId,
  kind: COUNTED_NAMESPACES,
  by,
  limit: MAX_NAMESPACES,
});

const secondsAfter = (time: Date, seconds: number): string => new Date(time.getTime() + seconds * 1_000).toISOString();
