import { permission } from '../accounts/access/permission.js';
import { ADMINS } from '../accounts/access/roles.js';

/** Leads are personal data. */
export const LEADS_EXPORT = permission('leads:export', ADMINS);
