import type { Row } from '../../common/db/query/rows.js';
import type { CustomAudience } from '../entities/custom-audience.entity.js';
import type { PermissionLevel } from './audience-permission.entity.js';

/** An audience as an account sees it: its own, or one it was granted. */
export interface SeenAudience {
  audience: Row<CustomAudience>;
  /** Of the asking account; null where that owns it. */
  granted: PermissionLevel | null;
}
