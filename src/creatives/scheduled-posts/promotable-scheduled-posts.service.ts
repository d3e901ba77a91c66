import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { contentOfComposition, type ShownContent } from '../composition/composition.rules.js';
import { Card } from '../entities/card.entity.js';
import { ScheduledPost } from '../entities/scheduled-post.entity.js';
import { isWaitingUnchanged } from './scheduled-post.statements.js';

/** Scheduled posts for the rows that depend on them. */
@Injectable()
export class PromotableScheduledPosts {
  constructor(private readonly users: PromotableUserCache) {}

  /**
   * A scheduled post that the account may promote after publication, and its content: its own, or another account's for
   * a promotable user of this account. `reposter`: the FULL promotable user who will repost another user's post.
   * Undefined if there is none, or its account was deleted, for which nothing goes live.
   */
  async find(
    account: AccountReader,
    id: string,
    db: EntityManager = account.db,
  ): Promise<{ scheduled: Row<ScheduledPost>; content: ShownContent; reposter?: string } | undefined> {
    const scheduled = await rows(db, ScheduledPost).ofAllAccounts().where('id', id).getOne();
    if (!scheduled) return undefined;
    const { accountId, userId, cardId } = scheduled;
    const [isAlive, user, full, card] = await Promise.all([
      accountId === account.id || rows(db, Account).where('id', accountId).getExists(),
      accountId === account.id ? true : this.users.find(account, userId, db),
      this.users.find(account, undefined, db),
      cardId === null ? undefined : rows(db, Card).where('accountId', accountId).where('id', cardId).getOne(),
    ]);
    if (!isAlive || !user) return undefined;
    const isReposted = full !== undefined && full.userId !== userId;
    return {
      scheduled,
      content: contentOfComposition(scheduled, card),
      ...(isReposted && { reposter: full.userId }),
    };
  }

  /** Scheduled posts of any account by id, including deleted ones. */
  async byId(ids: readonly string[], db: EntityManager): Promise<Map<string, Row<ScheduledPost>>> {
    const found = await rows(db, ScheduledPost)
      .ofAllAccounts()
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
