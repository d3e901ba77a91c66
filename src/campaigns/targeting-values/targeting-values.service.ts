import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { APP_LISTS, AppList } from '../../app-measurement/app-lists/app-list.entity.js';
import { AudienceAccessService } from '../../audiences/audience-permissions/audience-access.service.js';
import { LocationIds } from '../../audiences/locations/location-ids.service.js';
import { User } from '../../auth/credentials/user.entity.js';
import { allStillExist } from '../../common/db/query/preconditions.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { ApiError } from '../../common/errors/api-error.js';
import { CAMPAIGNS, Campaign } from '../entities/campaign.entity.js';
import { ContentCategoriesService } from '../reference/content-categories/content-categories.service.js';
import { IabCategoriesService } from '../reference/iab-categories/iab-categories.service.js';
import { Publisher } from '../reference/publishers/publisher.entity.js';
import { PublishersService } from '../reference/publishers/publishers.service.js';
import {
  referencedIdsOf,
  resolvedValue,
  type GivenCriterion,
  type ReferencedRows,
  withStoredId,
} from './targeting-references.rules.js';
import type { ResolvedValue } from './targeting-values.rules.js';

/** The result of resolving criteria. */
export interface ResolvedCriteria {
  /** Each value, or its problem, in the order of the criteria. */
  values: (ResolvedValue | ApiError)[];
  /**
   * Preconditions of the statement that stores the criteria: all named rows must still exist. If one does not, the
   * write is repeated.
   */
  required: Precondition[];
}

/** Resolves which values can be targeted, and their names. */
@Injectable()
export class TargetingValues {
  constructor(
    private readonly resources: Resources,
    private readonly audienceAccess: AudienceAccessService,
    private readonly promotable: PromotableUserCache,
    private readonly publishers: PublishersService,
    private readonly contentCategories: ContentCategoriesService,
    private readonly iabCategories: IabCategoriesService,
    private readonly locationIds: LocationIds,
  ) {}

  /**
   * Resolves each value to its stored form and its name. Reads the rows of each kind once for all criteria. Call it in
   * the plan of a write, with the write's `db`. The write's statement then depends on `required`.
   */
  async resolve(
    account: AccountReader,
    given: readonly GivenCriterion[],
    db: EntityManager = account.db,
  ): Promise<ResolvedCriteria> {
    const criteria = given.map(withStoredId);
    const { referenced, required } = await this.referencedRows(account, criteria, db);
    const values = criteria.map((criterion) => this.inStore(resolvedValue(criterion, referenced, account)));
    return { values, required };
  }

  /** A location with the value that this store has for it. */
  private inStore(resolved: ResolvedValue | ApiError): ResolvedValue | ApiError {
    if (resolved instanceof ApiError || resolved.locationType === undefined) return resolved;
    return { ...resolved, value: this.locationIds.canonical(resolved.value) };
  }

  /** The rows that the criteria refer to, and the preconditions that they still exist. */
  private async referencedRows(
    account: AccountReader,
    criteria: readonly GivenCriterion[],
    db: EntityManager,
  ): Promise<{ referenced: ReferencedRows; required: Precondition[] }> {
    const ids = {
      appLists: referencedIdsOf(criteria, 'app list'),
      campaigns: referencedIdsOf(criteria, 'campaign'),
      users: referencedIdsOf(criteria, 'user', 'own user', 'publisher'),
      publishers: referencedIdsOf(criteria, 'publisher'),
    };
    const [usable, appLists, campaigns, users, own, publishers, iabCategories] = await Promise.all([
      this.audienceAccess.usableBy(account, referencedIdsOf(criteria, 'audience'), db),
      ids.appLists.length > 0
        ? this.resources.of(account, APP_LISTS, db).whereIn('id', ids.appLists).getMany()
        : ([] as Row<AppList>[]),
      ids.campaigns.length > 0
        ? this.resources.of(account, CAMPAIGNS, db).whereIn('id', ids.campaigns).getMany()
        : ([] as Row<Campaign>[]),
      ids.users.length > 0 ? rows(db, User).whereIn('id', ids.users).getMany() : ([] as Row<User>[]),
      referencedIdsOf(criteria, 'own user').length > 0 ? this.promotable.find(account, undefined, db) : undefined,
      ids.publishers.length > 0 ? this.publishers.of(ids.publishers, db) : ([] as Row<Publisher>[]),
      referencedIdsOf(criteria, 'IAB category').length > 0 ? this.contentIabCategories(db) : new Map<string, string>(),
    ]);
    return {
      referenced: {
        audiences: usable.audiences,
        appLists: new Map(appLists.map((list) => [list.id, list])),
        campaigns: new Map(campaigns.map((campaign) => [campaign.id, campaign])),
        users: new Map(users.map((user) => [user.id, user])),
        publishers: new Set(publishers.map(({ userId }) => userId)),
        iabCategories,
        ...(own && { own }),
      },
      required: [
        ...usable.required,
        ...allStillExist(AppList, appLists),
        ...allStillExist(Campaign, campaigns),
        ...allStillExist(User, users),
        ...allStillExist(Publisher, publishers),
        ...(own ? [this.promotable.exist([own])] : []),
      ],
    };
  }

  /** The names of the IAB categories that IAB_CATEGORY can target. */
  private async contentIabCategories(db: EntityManager): Promise<Map<string, string>> {
    const allowed = await this.contentCategories.iabCategories(db);
    const all = await this.iabCategories.all(db);
    return new Map(all.filter(({ id }) => allowed.has(id)).map(({ id, name }) => [id, name]));
  }
}
