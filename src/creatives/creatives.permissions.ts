import { permission } from '../accounts/access/permission.js';
import { CREATIVES, MANAGERS, VIEWERS } from '../accounts/access/roles.js';

export const CREATIVES_READ = permission('creatives:read', VIEWERS);
export const CREATIVES_WRITE = permission('creatives:write', CREATIVES);
export const LEAD_FORMS_WRITE = permission('lead_forms:write', MANAGERS);
