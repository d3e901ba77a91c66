import { Example } from '../../common/http/params/dto-metadata.js';
import { Id, Ids, OneOf } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { AudiencePermission, PERMISSION_LEVELS, type PermissionLevel } from './audience-permission.entity.js';

const SORTABLE = ['created_at', 'updated_at', 'deleted'] as const;

export class ListCustomAudiencePermissions extends ListQuery(AudiencePermission, { sortable: SORTABLE }) {
  /** Only permissions granted to these accounts. */
  @Ids() granted_account_ids?: string[];
  /** Only permissions with these ids. */
  @Ids() custom_audience_permission_ids?: string[];
}

export class ListTailoredAudiencePermissions extends ListQuery(AudiencePermission, { sortable: SORTABLE }) {
  /** Only permissions granted to these accounts. */
  @Ids() granted_account_ids?: string[];
  /** Only permissions with these ids. */
  @Ids() tailored_audience_permission_ids?: string[];
}

/** The permission to grant. It replaces the account's previous permission. */
@Example({ granted_account_id: '{second_account_id}', permission_level: 'READ_WRITE' })
export class GrantAudiencePermission {
  /** The account with which the audience is shared. */
  @Id() granted_account_id: string;
  /**
   * READ_ONLY: the account reads and targets the audience. READ_WRITE: it also changes the audience and uploads its
   * users.
   */
  @OneOf(PERMISSION_LEVELS) permission_level: PermissionLevel;
}
