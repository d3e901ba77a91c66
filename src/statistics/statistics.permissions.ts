import { permission } from '../accounts/access/permission.js';

/** Statistics of any kind. Those of campaigns require more. */
export const STATISTICS_READ = permission('statistics:read', [
  'ACCOUNT_ADMIN',
  'AD_MANAGER',
  'CAMPAIGN_ANALYST',
  'ANALYST',
]);
/** Statistics of what an account pays for. */
export const PAID_STATISTICS_READ = permission('paid-statistics:read', [
  'ACCOUNT_ADMIN',
  'AD_MANAGER',
  'CAMPAIGN_ANALYST',
]);
