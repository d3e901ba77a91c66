import { permission } from '../accounts/access/permission.js';
import { EVERYBODY, MANAGERS, VIEWERS } from '../accounts/access/roles.js';

export const CAMPAIGNS_READ = permission('campaigns:read', VIEWERS);
export const CAMPAIGNS_WRITE = permission('campaigns:write', MANAGERS);
/** Reference data is not secret: paths without an account require no role. */
export const REFERENCE_READ = permission('reference:read', EVERYBODY);
