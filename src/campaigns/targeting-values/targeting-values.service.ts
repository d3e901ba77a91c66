import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { PromotableUsersService } from '../../accounts/promotable-users/promotable-users.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import {
  AudiencePermissionsService,
  type UsableAudiences,
} from '../../audiences/audience-permissions/audience-permissions.service.js';
import { User } from '../../auth/credentials/user.entity.js';
import { allExist } from '../../common/db/query/preconditions.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { ApiError } from '../../common/errors/api-error.js';
import { invalid, notFound } from '../../common/errors/catalogue.js';
import { invalidUserId } from '../../creatives/creatives.errors.js';
import { Campaign } from '../entities/campaign.entity.js';
import { CAMPAIGNS } from '../campaigns/campaign.resource.js';
import { ContentCategoriesService } from '../reference/content-categories/content-categories.service.js';
import { IabCategoriesService } from '../reference/iab-categories/iab-categories.service.js';
import { Publisher } from '../reference/publishers/publisher.entity.js';
import { PublishersService } from '../reference/publishers/publishers.service.js';
import type { TargetingType } from './targeting-types.js';
import { notAValue, VALUES, type ResolvedValue } from './targeting-values.rules.js';

/** A targeting type and value, as a client sends them. */
export interface GivenCriterion {
  targeting_type: TargetingType;
  targeting_value: string;
}

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

/** The kinds of rows that values name by id. */
type Named = 'audience' | 'campaign' | 'IAB category' | 'own user' | 'publisher' | 'user';

/** The kind of row that the values of a type name by id, if any. */
const NAMES: Partial<Record<TargetingType, Named>> = {
  CAMPAIGN_ENGAGEMENT: 'campaign',
  CAMPAIGN_ENGAGEMENT_LOOKALIKE: 'campaign',
  CONTENT_PUBLISHER_USER: 'publisher',
  CUSTOM_AUDIENCE: 'audience',
  CUSTOM_AUDIENCE_EXPANDED: 'audience',
  FOLLOWERS_OF_USER: 'own user',
  IAB_CATEGORY: 'IAB category',
  SIMILAR_TO_FOLLOWERS_OF_USER: 'user',
  USER_ENGAGEMENT: 'own user',
  USER_ENGAGEMENT_LOOKALIKE: 'own user',
};

/** The types whose values are user ids and whose names are usernames. */
export const USER_TYPES = (Object.keys(NAMES) as TargetingType[]).filter((type) =>
  ['own user', 'publisher', 'user'].includes(NAMES[type]!),
);

/** Kinds whose ids are read in lower case. */
const IDS_OF_ADS: ReadonlySet<Named | undefined> = new Set<Named>(['audience', 'campaign']);

const AUDIENCE_NAME = 'Custom audience targeting';

/** The stored rows that criteria name. */
interface Known {
  audiences: UsableAudiences['audiences'];
  campaigns: ReadonlyMap<string, Row<Campaign>>;
  users: ReadonlyMap<string, Row<User>>;
  publishers: ReadonlySet<string>;
  /** The names of the IAB categories of all content categories. */
  iabCategories: ReadonlyMap<string, string>;
  /** The FULL promotable user of the account. */
  own?: Row<PromotableUser>;
}

/** Resolves which values can be targeted, and their names. */
@Injectable()
export class TargetingValues {
  constructor(
    private readonly db: DataSource,
    private readonly resources: Resources,
    private readonly audiences: AudiencePermissionsService,
    private readonly promotable: PromotableUsersService,
    private readonly publishers: PublishersService,
    private readonly contentCategories: ContentCategoriesService,
    private readonly iabCategories: IabCategoriesService,
  ) {}

  /**
   * Resolves each value to its stored form and its name. Reads the rows of each kind once for all criteria. Call it in
   * the plan of a write, with the write's `db`. The write's statement then depends on `required`.
   */
  async resolve(
    account: { id: string },
    given: readonly GivenCriterion[],
    db = this.db.manager,
  ): Promise<ResolvedCriteria> {
    const criteria = given.map((each) => {
      const kind = NAMES[each.targeting_type];
      const id = each.targeting_value.toLowerCase();
      return kind !== undefined && IDS_OF_ADS.has(kind) && isId(kind, id) ? { ...each, targeting_value: id } : each;
    });
    const named = (...kinds: Named[]) => [
      ...new Set(
        criteria.flatMap(({ targeting_type: type, targeting_value: value }) => {
          const kind = NAMES[type];
          return kind !== undefined && kinds.includes(kind) && isId(kind, value) ? [value] : [];
        }),
      ),
    ];
    const { known, required } = await this.known(account, db, {
      audiences: named('audience'),
      campaigns: named('campaign'),
      users: named('user', 'own user', 'publisher'),
      publishers: named('publisher'),
      categories: named('IAB category').length > 0,
      own: named('own user').length > 0,
    });
    const values = criteria.map(({ targeting_type: type, targeting_value: value }) => {
      const kind = NAMES[type];
      return kind === undefined ? VALUES[type]!(value) : RESOLVE[kind](value, known, account);
    });
    return { values, required };
  }

  private async known(
    account: { id: string },
    db: EntityManager,
    named: {
      audiences: string[];
      campaigns: string[];
      users: string[];
      publishers: string[];
      categories: boolean;
      own: boolean;
    },
  ): Promise<{ known: Known; required: Precondition[] }> {
    const [usable, campaigns, users, own, publishers, iabCategories] = await Promise.all([
      this.audiences.usableBy(account, named.audiences, db),
      named.campaigns.length > 0
        ? this.resources.of(account, CAMPAIGNS, db).whereIn('id', named.campaigns).getMany()
        : ([] as Row<Campaign>[]),
      named.users.length > 0 ? rows(db, User).whereIn('id', named.users).getMany() : ([] as Row<User>[]),
      named.own ? this.promotable.find(account, undefined, db) : undefined,
      named.publishers.length > 0 ? this.publishers.of(named.publishers, db) : ([] as Row<Publisher>[]),
      named.categories ? this.contentIabCategories(db) : new Map<string, string>(),
    ]);
    const again = () => new ConflictRetry();
    const ids = (found: { id: string }[]) => found.map(({ id }) => id);
    return {
      known: {
        audiences: usable.audiences,
        campaigns: new Map(campaigns.map((campaign) => [campaign.id, campaign])),
        users: new Map(users.map((user) => [user.id, user])),
        publishers: new Set(publishers.map(({ userId }) => userId)),
        iabCategories,
        ...(own && { own }),
      },
      required: [
        ...usable.required,
        ...(campaigns.length > 0 ? [allExist(Campaign, ids(campaigns), again)] : []),
        ...(users.length > 0 ? [allExist(User, ids(users), again)] : []),
        ...(publishers.length > 0 ? [allExist(Publisher, ids(publishers), again)] : []),
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

const ID = /^[0-9a-z]{1,50}$/;
const USER_ID = /^\d{1,19}$/;
const FORMS: Record<Named, RegExp> = {
  audience: ID,
  campaign: ID,
  'IAB category': /./,
  'own user': USER_ID,
  publisher: USER_ID,
  user: USER_ID,
};
const isId = (kind: Named, value: string): boolean => FORMS[kind].test(value);

type ResolveStored = (value: string, known: Known, account: { id: string }) => ResolvedValue | ApiError;

const RESOLVE: Record<Named, ResolveStored> = {
  audience: (value, { audiences }, account) => {
    if (!isId('audience', value)) return notAValue('String in base-36 format', value);
    const seen = audiences.get(value);
    if (!seen) return notFound('Custom Audience', 'targeting_value', value, account.id);
    const reasons = seen.audience.reasonsNotTargetable;
    if (reasons.length === 0) return { value, name: AUDIENCE_NAME };
    return invalid('targeting_value', `Custom Audience ${value} is not targetable`, {
      value,
      details: reasons.join(', '),
    });
  },
  campaign: (value, { campaigns }, account) => {
    if (!isId('campaign', value)) return notAValue('String in base-36 format', value);
    const campaign = campaigns.get(value);
    return campaign ? { value, name: campaign.name } : notFound('Campaign', 'targeting_value', value, account.id);
  },
  user: (value, { users }) => {
    if (!isId('user', value)) return notAValue('Long', value, { details: 'the id of a user' });
    const user = users.get(value);
    return user ? { value, name: `@${user.username}` } : notAValue('the id of a user', value);
  },
  publisher: (value, known, account) => {
    const user = RESOLVE.user(value, known, account);
    if (user instanceof ApiError || known.publishers.has(value)) return user;
    return notAValue('the id of a publisher', value, { details: 'GET publishers lists them' });
  },
  'IAB category': (given, { iabCategories }) => {
    const value = given.toUpperCase();
    const name = iabCategories.get(value);
    if (name !== undefined) return { value, name };
    return notAValue('an IAB category of a content category', given, { details: 'GET content_categories lists them' });
  },
  'own user': (value, known, account) => {
    const user = RESOLVE.user(value, known, account);
    if (user instanceof ApiError || known.own?.userId === value) return user;
    const own = known.own
      ? `only followers of User ${known.own.userId}, the FULL promotable user, and people who engaged with it can be targeted`
      : 'the account has no FULL promotable user';
    return invalidUserId('targeting_value', value, own);
  },
};
