import type { AppList } from '../../app-measurement/app-lists/app-list.entity.js';
import type { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import type { CustomAudience } from '../../audiences/entities/custom-audience.entity.js';
import type { User } from '../../auth/credentials/user.entity.js';
import type { Row } from '../../common/db/query/rows.js';
import { ApiError } from '../../common/errors/api-error.js';
import { invalid, notFound } from '../../common/errors/catalogue.js';
import { invalidUserId } from '../../creatives/creatives.errors.js';
import type { Campaign } from '../entities/campaign.entity.js';
import { TARGETING_REFERENCE_KINDS, type TargetingReferenceKind, type TargetingType } from './targeting-types.js';
import { notAValue, VALUES, type ResolvedValue } from './targeting-values.rules.js';

/** A targeting type and value, as a client sends them. */
export interface GivenCriterion {
  targeting_type: TargetingType;
  targeting_value: string;
}

/** The types whose values are user ids and whose names are usernames. */
export const USER_TYPES = (Object.keys(TARGETING_REFERENCE_KINDS) as TargetingType[]).filter((type) =>
  ['own user', 'publisher', 'user'].includes(TARGETING_REFERENCE_KINDS[type]!),
);

const ID = /^[0-9a-z]{1,50}$/;
const USER_ID = /^\d{1,19}$/;
const FORMS: Record<TargetingReferenceKind, RegExp> = {
  'app list': ID,
  audience: ID,
  campaign: ID,
  'IAB category': /./,
  'own user': USER_ID,
  publisher: USER_ID,
  user: USER_ID,
};
const isId = (kind: TargetingReferenceKind, value: string): boolean => FORMS[kind].test(value);

/** Kinds whose ids are read in lower case. */
const CASE_INSENSITIVE: ReadonlySet<TargetingReferenceKind> = new Set(['app list', 'audience', 'campaign']);

/** A criterion whose value, if it is an id in any case, is that id. */
export function withStoredId(criterion: GivenCriterion): GivenCriterion {
  const kind = TARGETING_REFERENCE_KINDS[criterion.targeting_type];
  const id = criterion.targeting_value.toLowerCase();
  return kind !== undefined && CASE_INSENSITIVE.has(kind) && isId(kind, id)
    ? { ...criterion, targeting_value: id }
    : criterion;
}

/** The distinct ids of rows of these kinds that the criteria refer to. */
export const referencedIdsOf = (criteria: readonly GivenCriterion[], ...kinds: TargetingReferenceKind[]): string[] => [
  ...new Set(
    criteria.flatMap(({ targeting_type: type, targeting_value: value }) => {
      const kind = TARGETING_REFERENCE_KINDS[type];
      return kind !== undefined && kinds.includes(kind) && isId(kind, value) ? [value] : [];
    }),
  ),
];

/** The stored rows that criteria refer to. */
export interface ReferencedRows {
  appLists: ReadonlyMap<string, Row<AppList>>;
  /** The audiences that the account may target. */
  audiences: ReadonlyMap<string, { audience: Row<CustomAudience> }>;
  campaigns: ReadonlyMap<string, Row<Campaign>>;
  users: ReadonlyMap<string, Row<User>>;
  publishers: ReadonlySet<string>;
  /** The names of the IAB categories of all content categories. */
  iabCategories: ReadonlyMap<string, string>;
  /** The FULL promotable user of the account. */
  own?: Row<PromotableUser>;
}

/** The stored form and name of a criterion's value, or its problem. */
export function resolvedValue(
  { targeting_type: type, targeting_value: value }: GivenCriterion,
  rows: ReferencedRows,
  account: { id: string },
): ResolvedValue | ApiError {
  const kind = TARGETING_REFERENCE_KINDS[type];
  return kind === undefined ? VALUES[type]!(value) : RESOLVE[kind](value, rows, account);
}

const AUDIENCE_NAME = 'Custom audience targeting';

/** An app in its store: digits for iOS, a package name for Android. Criteria of stores older than app lists have such values. */
const APP = /^\d{1,20}$|^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/;
export const isAppOfOlderCriterion = (type: TargetingType, value: string): boolean =>
  type === 'APP_LIST' && APP.test(value) && value.length <= 150;

type ResolveStored = (value: string, rows: ReferencedRows, account: { id: string }) => ResolvedValue | ApiError;

const RESOLVE: Record<TargetingReferenceKind, ResolveStored> = {
  'app list': (value, { appLists }, account) => {
    const list = appLists.get(value);
    if (list) return { value, name: list.name };
    if (isAppOfOlderCriterion('APP_LIST', value))
      return notAValue('the id of an app list', value, {
        hint: `POST app_lists with app_store_identifiers=${value} makes a list of this app.`,
      });
    return isId('app list', value)
      ? notFound('App List', 'targeting_value', value, account.id)
      : notAValue('String in base-36 format', value);
  },
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
  publisher: (value, rows, account) => {
    const user = RESOLVE.user(value, rows, account);
    if (user instanceof ApiError || rows.publishers.has(value)) return user;
    return notAValue('the id of a publisher', value, { details: 'GET publishers lists them' });
  },
  'IAB category': (given, { iabCategories }) => {
    const value = given.toUpperCase();
    const name = iabCategories.get(value);
    if (name !== undefined) return { value, name };
    return notAValue('an IAB category of a content category', given, { details: 'GET content_categories lists them' });
  },
  'own user': (value, rows, account) => {
    const user = RESOLVE.user(value, rows, account);
    if (user instanceof ApiError || rows.own?.userId === value) return user;
    const own = rows.own
      ? `only followers of User ${rows.own.userId}, the FULL promotable user, and people who engaged with it can be targeted`
      : 'the account has no FULL promotable user';
    return invalidUserId('targeting_value', value, own);
  },
};
