import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { one } from '../../common/list/one.js';
import { notFound } from '../../common/errors/catalogue.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { CustomAudience } from '../custom-audiences/custom-audience.entity.js';
import type { SeenAudience } from '../custom-audiences/custom-audience.presenter.js';
import { AudiencePermission } from './audience-permission.entity.js';

/** Which audiences an account can see, and what it may do with them. */
@Injectable()
export class AudiencePermissionsService {
  constructor(private readonly db: DataSource) {}

  /** The audiences of others that the account was granted. */
  sharedWith(account: ActingAccount): Rows<CustomAudience> {
    return this.granted(rows(this.db.manager, CustomAudience), account);
  }

  /** These, and its own. */
  visibleTo(account: ActingAccount): Rows<CustomAudience> {
    return rows(this.db.manager, CustomAudience).either(
      (audiences) => audiences.is('accountId', account.id),
      (audiences) => this.granted(audiences, account),
    );
  }

  /** How the account sees audiences; what it was granted is looked up for all of them at once. */
  async seenBy(
    account: ActingAccount,
    audiences: Row<CustomAudience>[],
  ): Promise<(audience: Row<CustomAudience>) => SeenAudience> {
    const foreign = audiences.filter(({ accountId }) => accountId !== account.id).map(({ id }) => id);
    const permissions = foreign.length > 0 ? await this.of(account).among('customAudienceId', foreign).all() : [];
    const levels = new Map(permissions.map((each) => [each.customAudienceId, each.permissionLevel]));
    return (audience) => ({
      audience,
      granted: audience.accountId === account.id ? null : (levels.get(audience.id) ?? 'READ_ONLY'),
    });
  }

  async writableBy(account: ActingAccount, id: string) {
    const audience = await one(this.visibleTo(account), id, () =>
      notFound('Custom Audience', 'custom_audience_id', id, account.id),
    );
    return { audience, required: [] };
  }

  private granted(audiences: Rows<CustomAudience>, account: ActingAccount): Rows<CustomAudience> {
    return audiences.within('id', this.of(account), 'customAudienceId');
  }

  private of(account: ActingAccount): Rows<AudiencePermission> {
    return rows(this.db.manager, AudiencePermission).is('grantedAccountId', account.id);
  }
}
