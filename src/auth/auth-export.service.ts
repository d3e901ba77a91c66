import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows, type Row } from '../common/db/query/rows.js';
import { exportColumns, exportRows, type ExportSection } from './user-export.js';
import { inPages } from '../common/list/in-pages.js';
import { AccessToken } from './credentials/access-token.entity.js';
import { Application } from './credentials/application.entity.js';
import type { User } from './credentials/user.entity.js';
import { Grant } from './grants/grant.entity.js';
import { RequestToken } from './oauth1/request-token.entity.js';
import { Session } from './sessions/session.entity.js';

/** The data of a user for signing in and acting: the profile, applications, tokens and sessions, without any secret. */
@Injectable()
export class AuthExport {
  constructor(private readonly db: DataSource) {}

  sections(user: Row<User>): ExportSection[] {
    const { manager } = this.db;
    const { id } = user;
    const profile = exportColumns(user, ['id', 'username', 'name', 'createdAt', 'updatedAt', 'suspendedAt']);
    return [
      ['user', { ...profile, has_password: user.passwordHash !== null }],
      [
        'applications',
        exportRows(
          inPages(this.db, () => rows(manager, Application).withDeleted().where('ownerId', id), 'id'),
          [
            'id',
            'name',
            'accessLevel',
            'callbacks',
            'signIn',
            'desktop',
            'clientId',
            'clientType',
            'clientScopes',
            'createdAt',
            'updatedAt',
            'deletedAt',
          ],
        ),
      ],
      [
        'access_tokens',
        exportRows(
          inPages(this.db, () => rows(manager, AccessToken).where('userId', id), 'id'),
          ['id', 'applicationId', 'accessLevel', 'source', 'createdAt', 'revokedAt'],
        ),
      ],
      [
        'grants',
        exportRows(
          inPages(this.db, () => rows(manager, Grant).where('userId', id), 'id'),
          ['id', 'applicationId', 'scopes', 'createdAt', 'approvedAt', 'revokedAt'],
        ),
      ],
      [
        'sign_in_flows',
        exportRows(
          inPages(this.db, () => rows(manager, RequestToken).where('userId', id), 'id'),
          ['applicationId', 'accessLevel', 'callback', 'createdAt', 'expiresAt', 'endedAt'],
        ),
      ],
      [
        'sessions',
        exportRows(
          inPages(this.db, () => rows(manager, Session).where('userId', id), 'id'),
          ['createdAt', 'seenAt', 'expiresAt'],
        ),
      ],
    ];
  }
}
