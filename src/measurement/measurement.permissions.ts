import { permission } from '../accounts/access/permission.js';
import { MANAGERS, VIEWERS } from '../accounts/access/roles.js';

export const MEASUREMENT_READ = permission('measurement:read', VIEWERS);
export const MEASUREMENT_WRITE = permission('measurement:write', MANAGERS);
