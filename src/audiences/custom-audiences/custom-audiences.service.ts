import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { AudienceAccessService } from '../audience-permissions/audience-access.service.js';
import { CUSTOM_AUDIENCES } from '../entities/custom-audience.entity.js';
import { newAudience } from './custom-audience-batch.service.js';
import type { CreateCustomAudience, ListCustomAudiences, UpdateCustomAudience } from './custom-audiences.dto.js';
import { patchOfAudience, requireDeletable } from './flexible-audience.rules.js';

@Injectable()
export class CustomAudiencesService {
  constructor(
    private readonly resources: Resources,
    private readonly access: AudienceAccessService,
  ) {}

  /** The account's own audiences, or those shared with it. */
  async list(account: ActingAccount, query: ListCustomAudiences) {
    const isShared = query.permission_scope === 'SHARED';
    const audiences = isShared ? this.access.sharedWith(account) : this.resources.of(account, CUSTOM_AUDIENCES);
    audiences.whereIn('id', query.custom_audience_ids).whereStartsWith('name', query.q);
    const found = await page(audiences, query);
    return found.map(await this.access.seenBy(account, found.items));
  }

  async get(account: ActingAccount, id: string, query?: OneQuery) {
    const audiences = this.access.visibleTo(account);
    const audience = await one(audiences, id, CUSTOM_AUDIENCES.notFoundError(account), query);
    return (await this.access.seenBy(account, [audience]))(audience);
  }

  create(account: ActingAccount, { name, description }: CreateCustomAudience) {
    const fields = newAudience(account, { name, description, audience_type: 'CRM' });
    return this.resources.create(account, CUSTOM_AUDIENCES, fields);
  }

  /** An account with READ_WRITE may change the audience too. The change is in the owner's history. */
  async update(account: ActingAccount, id: string, { name, description }: UpdateCustomAudience) {
    const { by, granted, required } = await this.access.writableBy(account, id);
    const audience = await this.resources.changeLocked(by, CUSTOM_AUDIENCES, [], async (unit) => {
      unit.require(...required);
      const before = await unit.lockOne(id);
      return unit.update(id, patchOfAudience(before, { name, description }));
    });
    return { audience, granted };
  }

  async delete(account: ActingAccount, id: string) {
    requireDeletable(await this.access.ownedBy(account, id));
    return this.resources.delete(account, CUSTOM_AUDIENCES, id);
  }
}
