import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows } from '../common/db/query/rows.js';
import { exportRows, type ExportSection } from '../auth/user-export.js';
import { inPages } from '../common/list/in-pages.js';
import { Membership } from './access/membership.entity.js';
import { UserSettings } from './entities/user-settings.entity.js';
import { PromotableUser } from './promotable-users/promotable-user.entity.js';

/** Exports a user's roles and settings on ad accounts, and the ad accounts that may promote their posts. */
@Injectable()
export class AccountsExport {
  constructor(private readonly db: DataSource) {}

  sections(userId: string): ExportSection[] {
    const { manager } = this.db;
    return [
      [
        'memberships',
        exportRows(
          inPages(this.db, () => rows(manager, Membership).where('userId', userId), 'accountId'),
          ['accountId', 'role', 'postComposer', 'createdAt'],
        ),
      ],
      [
        'user_settings',
        exportRows(
          inPages(this.db, () => rows(manager, UserSettings).ofAllAccounts().where('userId', userId), 'accountId'),
          [
            'accountId',
            'notificationEmail',
            'contactPhone',
            'contactPhoneExtension',
            'subscribedEmailTypes',
            'updatedAt',
          ],
        ),
      ],
      [
        'promotable_users',
        exportRows(
          inPages(
            this.db,
            () => rows(manager, PromotableUser).ofAllAccounts().withDeleted().where('userId', userId),
            'id',
          ),
          ['id', 'accountId', 'promotableUserType', 'createdAt', 'updatedAt', 'deletedAt'],
        ),
      ],
    ];
  }
}
