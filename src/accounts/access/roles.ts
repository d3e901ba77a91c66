export const ROLES = [
  'ACCOUNT_ADMIN',
  'AD_MANAGER',
  'CREATIVE_MANAGER',
  'CAMPAIGN_ANALYST',
  'ANALYST',
  'PARTNER_AUDIENCE_MANAGER',
] as const;
export type Role = (typeof ROLES)[number];

/** Groups of roles to which permissions are assigned. */
export const EVERYBODY: readonly Role[] = ROLES;
export const ADMINS: readonly Role[] = ['ACCOUNT_ADMIN'];
export const MANAGERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER'];
export const CREATIVES: readonly Role[] = [...MANAGERS, 'CREATIVE_MANAGER'];
export const VIEWERS: readonly Role[] = [...CREATIVES, 'CAMPAIGN_ANALYST'];

/** Whether members with this role may also be POST_COMPOSER. */
export const canCompose = (role: Role): boolean => CREATIVES.includes(role);
