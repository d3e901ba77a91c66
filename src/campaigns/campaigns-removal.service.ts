import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rewriteTextsInChanges } from '../accounts/change-log/rewrite-changes.js';
import { UserRemoval } from '../auth/user-removal/user-removal.service.js';
import { Clock } from '../common/time/clock.js';
import { nextAfterStored } from '../common/db/query/computed.js';
import { rows } from '../common/db/query/rows.js';
import { removedName, withoutMention, type RemovedPerson } from '../common/entity/removed-person.js';
import { groupedBy, inBatches } from '../common/values/grouped.js';
import { inPages } from '../common/list/in-pages.js';
import { PublishersService } from './reference/publishers/publishers.service.js';
import { TargetingCriterion } from './criterion-sets/targeting-criterion.entity.js';
import { USER_TYPES } from './targeting-values/targeting-references.rules.js';

const BATCH = 500;

/**
 * Handles the deletion of a platform user: removes the username from the criteria that target the user's followers, and
 * removes the user as a publisher.
 */
@Injectable()
export class CampaignsRemoval implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly removal: UserRemoval,
    private readonly publishers: PublishersService,
  ) {}

  onModuleInit(): void {
    this.removal.register({ domain: 'campaigns', remove: (user, signal) => this.remove(user, signal) });
  }

  private async remove(user: RemovedPerson, signal: AbortSignal): Promise<void> {
    await this.publishers.delete(user.id);
    const naming = () =>
      rows(this.db.manager, TargetingCriterion)
        .ofAllAccounts()
        .withDeleted()
        .where('targetingValue', user.id)
        .whereIn('targetingType', USER_TYPES);
    for await (const batch of inBatches(inPages(this.db, naming, 'id'), BATCH)) {
      signal.throwIfAborted();
      const updatedAt = nextAfterStored(this.clock.now().toISOString());
      for (const [accountId, criteria] of groupedBy(batch, (criterion) => criterion.accountId)) {
        const ids = criteria.map(({ id }) => id);
        await naming()
          .where('accountId', accountId)
          .whereIn('id', ids)
          .update({ name: `@${removedName(user.id)}`, updatedAt });
        await rewriteTextsInChanges(
          this.db.manager,
          { accountId, entity: 'TARGETING_CRITERIA', ids },
          { fields: ['name'], change: (text) => withoutMention(text, user) },
          signal,
        );
      }
    }
  }
}
