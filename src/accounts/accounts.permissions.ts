import { permission } from './access/permission.js';
import { ADMINS, EVERYBODY, MANAGERS } from './access/roles.js';

export const ACCOUNT_READ = permission('account:read', EVERYBODY);
export const ACCOUNT_WRITE = permission('account:write', ADMINS);
export const HISTORY_READ = permission('history:read', MANAGERS);
