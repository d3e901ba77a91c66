import { permission } from '../accounts/access/permission.js';
import { MANAGERS, VIEWERS } from '../accounts/access/roles.js';

export const AUDIENCES_READ = permission('audiences:read', VIEWERS);
export const AUDIENCES_WRITE = permission('audiences:write', MANAGERS);
/** Who reads campaigns, and ANALYST, which is for insights. */
export const INSIGHTS_READ = permission('insights:read', [...VIEWERS, 'ANALYST']);
