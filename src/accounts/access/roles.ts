/** Part 3, 4.3. */
export const ROLES = [
  'ACCOUNT_ADMIN',
  'AD_MANAGER',
  'CREATIVE_MANAGER',
  'CAMPAIGN_ANALYST',
  'ANALYST',
  'PARTNER_AUDIENCE_MANAGER',
] as const;
export type Role = (typeof ROLES)[number];

const EVERYBODY: readonly Role[] = ROLES;
const ADMINS: readonly Role[] = ['ACCOUNT_ADMIN'];
const MANAGERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER'];
const CREATIVES: readonly Role[] = [...MANAGERS, 'CREATIVE_MANAGER'];
const VIEWERS: readonly Role[] = [...CREATIVES, 'CAMPAIGN_ANALYST'];

/** Which roles may do what; the whole matrix in one place. */
const MATRIX = {
  'account:read': EVERYBODY,
  'account:write': ADMINS,
  'history:read': MANAGERS,
  'campaigns:read': VIEWERS,
  'campaigns:write': MANAGERS,
} satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof MATRIX;

export const allows = (role: Role, permission: Permission): boolean => MATRIX[permission].includes(role);

/** Roles whose members may be POST_COMPOSER besides. */
export const composes = (role: Role): boolean => CREATIVES.includes(role);
