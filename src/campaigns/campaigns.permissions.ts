import { permission } from '../accounts/access/permission.js';
import { MANAGERS, VIEWERS } from '../accounts/access/roles.js';

export const CAMPAIGNS_READ = permission('campaigns:read', VIEWERS);
export const CAMPAIGNS_WRITE = permission('campaigns:write', MANAGERS);
