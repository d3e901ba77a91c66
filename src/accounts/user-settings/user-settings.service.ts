import { Injectable } from '@nestjs/common';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insertOrUpdate, write } from '../../common/db/query/write.js';
import { accountNotFound, notAllowed, notFound } from '../../common/errors/catalogue.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Membership } from '../access/membership.entity.js';
import { requirePermission } from '../access/permission.js';
import { SETTINGS_OF_OTHERS } from '../accounts.permissions.js';
import { Account } from '../entities/account.entity.js';
import type { UpdateUserSettings } from './user-settings.dto.js';
import { UserSettings } from '../entities/user-settings.entity.js';
import { keepsAccess } from './user-settings.statements.js';

/** Reads and changes what the users of an account set for themselves. */
@Injectable()
export class UserSettingsService {
  /** The settings of a user; undefined for one who has set nothing. Administrators may read those of others. */
  async get(account: ActingAccount, userId: string): Promise<Row<UserSettings> | undefined> {
    if (userId !== account.userId) {
      requirePermission(account.role, SETTINGS_OF_OTHERS);
      const member = rows(account.db, Membership).where('accountId', account.id).where('userId', userId);
      if (!(await member.getOne())) throw notFound('User', 'user_id', userId, account.id);
    }
    return this.find(account, userId);
  }

  /** Changes what the request names, for the user who asks: nobody else may, whatever their role. */
  async update(account: ActingAccount, userId: string, params: UpdateUserSettings) {
    if (userId !== account.userId)
      throw notAllowed(`User ${account.userId} cannot change the settings of user ${userId}`, {
        parameter: 'user_id',
        value: userId,
        details: 'a user changes only their own settings',
      });
    const list =
      params.subscribed_email_types === undefined ? params.subscribe_email_types : params.subscribed_email_types;
    const sent = {
      notificationEmail: params.notification_email,
      contactPhone: params.contact_phone,
      contactPhoneExtension: params.contact_phone_extension,
      subscribedEmailTypes: list === null ? [] : list,
    };
    const changed = (Object.keys(sent) as (keyof typeof sent)[]).filter((name) => sent[name] !== undefined);
    if (changed.length > 0) await this.store(account, sent, changed);
    return this.find(account, userId);
  }

  private store(
    account: ActingAccount,
    sent: { [K in Settable]?: UserSettings[K] },
    changed: Settable[],
  ): Promise<unknown> {
    return retrying(() => {
      const settings: Row<UserSettings> = {
        accountId: account.id,
        userId: account.userId,
        notificationEmail: sent.notificationEmail ?? null,
        contactPhone: sent.contactPhone ?? null,
        contactPhoneExtension: sent.contactPhoneExtension ?? null,
        subscribedEmailTypes: sent.subscribedEmailTypes ?? [],
        updatedAt: account.now().toISOString(),
      };
      return write(
        account.db,
        [insertOrUpdate(UserSettings, [settings], [...changed, 'updatedAt'])],
        [exists(Account, account, () => accountNotFound(account.id)), keepsAccess(account)],
      );
    });
  }

  /** A replica might lack what the same user has just set. */
  private find(account: ActingAccount, userId: string): Promise<Row<UserSettings> | undefined> {
    return rows(account.db, UserSettings).where('accountId', account.id).where('userId', userId).getOne();
  }
}

type Settable = 'notificationEmail' | 'contactPhone' | 'contactPhoneExtension' | 'subscribedEmailTypes';
