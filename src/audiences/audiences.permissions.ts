import { permission } from '../accounts/access/permission.js';
import { MANAGERS, VIEWERS } from '../accounts/access/roles.js';

export const AUDIENCES_READ = permission('audiences:read', VIEWERS);
export const AUDIENCES_WRITE = permission('audiences:write', MANAGERS);
/** Granted to the roles that read campaigns, and to ANALYST, which reads insights. */
export const INSIGHTS_READ = permission('insights:read', [...VIEWERS, 'ANALYST']);
