import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Membership } from '../../accounts/access/membership.entity.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import { nextAfterStored } from '../../common/db/query/computed.js';
import { Clock } from '../../common/time/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { DraftPost } from '../entities/draft-post.entity.js';
import { PreviewNotification } from '../entities/preview-notification.entity.js';

/** Number of notifications shown, newest first. */
const SHOWN = 50;

/** A line of the notifications page. */
export interface NotificationLine {
  id: string;
  /** The draft; undefined if deleted. */
  draft: Row<DraftPost> | undefined;
  accountName: string;
  seen: boolean;
  at: string;
}

/** Notifications of previewed drafts. Each user sees only their own. */
@Injectable()
export class PreviewNotificationsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The user's newest notifications from accounts that the user can still access. */
  async newest(userId: string): Promise<NotificationLine[]> {
    const db = this.db.manager;
    const notifications = await this.of(userId).orderBy('id', 'DESC').limit(SHOWN).getMany();
    if (notifications.length === 0) return [];
    const accountIds = [...new Set(notifications.map(({ accountId }) => accountId))];
    const [accounts, drafts] = await Promise.all([
      rows(db, Account).whereIn('id', accountIds).getMany(),
      rows(db, DraftPost)
        .whereIn('accountId', accountIds)
        .whereIn('id', [...new Set(notifications.map(({ draftPostId }) => draftPostId))])
        .getMany(),
    ]);
    const names = new Map(accounts.map(({ id, name }) => [id, name]));
    const byId = new Map(drafts.map((draft) => [draft.id, draft]));
    return notifications.flatMap(({ id, accountId, draftPostId, seen, createdAt }) => {
      const accountName = names.get(accountId);
      return accountName === undefined
        ? []
        : [{ id, draft: byId.get(draftPostId), accountName, seen, at: wireTime(createdAt) }];
    });
  }

  /** Returns a notification of the user and marks it as seen; undefined if it belongs to another user. */
  async open(userId: string, id: string): Promise<Row<PreviewNotification> | undefined> {
    const found = await this.of(userId).where('id', id).getOne();
    if (!found || found.seen) return found;
    const [seen] = await this.of(userId)
      .where('id', id)
      .update({ seen: true, updatedAt: nextAfterStored(this.clock.now().toISOString()) });
    return seen;
  }

  private of(userId: string) {
    const memberships = rows(this.db.manager, Membership).where('userId', userId);
    return rows(this.db.manager, PreviewNotification)
      .where('userId', userId)
      .whereInSubquery('accountId', memberships, 'accountId');
  }
}
