import type { PromotableUserType } from '../accounts/promotable-users/promotable-user.entity.js';
import type { AccessLevel } from '../auth/credentials/application.entity.js';
import type { Environment } from '../common/http/public-urls.js';

// Said again here, since the entities that say it bring the database layer with them, a second of loading for `--help`.
// The types see to it that no word is missing and none too many.
const words = <T extends string>(all: Record<T, true>) => Object.keys(all) as T[];

export const ACCESS_LEVELS = words<AccessLevel>({ read: true, write: true });
export const ENVIRONMENTS = words<Environment>({ production: true, sandbox: true });
export const PROMOTABLE_USER_TYPES = words<PromotableUserType>({ FULL: true, RETWEETS_ONLY: true });
