import { Example } from '../../common/http/params/example.js';
import { Id, Ids, OneOf } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { AudiencePermission, PERMISSION_LEVELS, type PermissionLevel } from './audience-permission.entity.js';

const SORTABLE = ['created_at', 'updated_at', 'deleted'] as const;

export class ListCustomAudiencePermissions extends ListQuery(AudiencePermission, { sortable: SORTABLE }) {
  /** Only what these accounts were granted. */
  @Ids() granted_account_ids?: string[];
  /** Only the permissions with these ids. */
  @Ids() custom_audience_permission_ids?: string[];
}

export class ListTailoredAudiencePermissions extends ListQuery(AudiencePermission, { sortable: SORTABLE }) {
  /** Only what these accounts were granted. */
  @Ids() granted_account_ids?: string[];
  /** Only the permissions with these ids. */
  @Ids() tailored_audience_permission_ids?: string[];
}

/** What an account may do from now on, whatever it was granted before. */
@Example({ granted_account_id: '{second_account_id}', permission_level: 'READ_WRITE' })
export class GrantAudiencePermission {
  /** The account that the audience is shared with. */
  @Id() granted_account_id: string;
  /** READ_ONLY: it reads and targets the audience. READ_WRITE: it changes it and uploads its users, too. */
  @OneOf(PERMISSION_LEVELS) permission_level: PermissionLevel;
}
