import { permission } from './access/permission.js';
import { ADMINS, EVERYBODY, MANAGERS } from './access/roles.js';

export const ACCOUNT_READ = permission('account:read', EVERYBODY);
export const ACCOUNT_WRITE = permission('account:write', ADMINS);
export const HISTORY_READ = permission('history:read', MANAGERS);
export const TAX_SETTINGS_READ = permission('tax_settings:read', MANAGERS);
export const TAX_SETTINGS_WRITE = permission('tax_settings:write', ADMINS);
export const OWN_SETTINGS_WRITE = permission('user_settings:write', EVERYBODY);
/** To read what others have set. */
export const SETTINGS_OF_OTHERS = permission('user_settings:read', ADMINS);
