import type { OsType } from '../accounts/account-apps/account-app.entity.js';
import type { PromotableUserType } from '../accounts/promotable-users/promotable-user.entity.js';
import type { AccessLevel } from '../auth/credentials/application.entity.js';
import type { FundingType } from '../campaigns/funding-instruments/funding-instrument.entity.js';
import type { ReferenceName } from '../campaigns/reference/reference-kind.js';
import type { Environment } from '../common/http/urls/public-urls.js';

// These values are repeated here because importing the entities that define them would load the database layer, which takes
// `--help` a second. The types ensure that the lists agree.
const namesOf = <T extends string>(all: Record<T, true>) => Object.keys(all) as T[];

export const ACCESS_LEVELS = namesOf<AccessLevel>({ read: true, write: true });
export const ENVIRONMENTS = namesOf<Environment>({ production: true, sandbox: true });
export const PROMOTABLE_USER_TYPES = namesOf<PromotableUserType>({ FULL: true, RETWEETS_ONLY: true });
export const OS_TYPES = namesOf<OsType>({ Android: true, iOS: true });
export const REFERENCE_NAMES = namesOf<ReferenceName>({
  iab_categories: true,
  advertiser_business_categories: true,
  content_categories: true,
  bidding_rules: true,
});
export const FUNDING_TYPES = namesOf<FundingType>({
  AGENCY_CREDIT_LINE: true,
  CREDIT_CARD: true,
  CREDIT_LINE: true,
  INSERTION_ORDER: true,
  PARTNER_MANAGED: true,
});
