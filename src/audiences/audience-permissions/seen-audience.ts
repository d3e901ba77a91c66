import type { Row } from '../../common/db/query/rows.js';
import type { CustomAudience } from '../entities/custom-audience.entity.js';
import type { PermissionLevel } from './audience-permission.entity.js';

/** An audience as an account sees it: its own or a shared one. */
export interface SeenAudience {
  audience: Row<CustomAudience>;
  /** The permission of the requesting account; null if it owns the audience. */
  granted: PermissionLevel | null;
}
