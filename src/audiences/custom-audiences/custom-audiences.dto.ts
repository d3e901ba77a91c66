import { Example } from '../../common/http/params/dto-metadata.js';
import { closedSet } from '../../common/values/closed-set.js';
import { Ids, OneOf, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { CustomAudience } from '../entities/custom-audience.entity.js';

const PERMISSION_SCOPES = closedSet('PermissionScope', ['OWNER', 'SHARED']);
export type PermissionScope = (typeof PERMISSION_SCOPES)[number];

export class ListCustomAudiences extends ListQuery(CustomAudience) {
  /** OWNER (default): audiences of the account. SHARED: audiences shared with it. */
  @OneOf(PERMISSION_SCOPES, { optional: true }) permission_scope?: PermissionScope;
  /** Name prefix, case-insensitive. */
  @Text({ optional: true, min: 1, max: 255 }) q?: string;
  /** Only audiences with these ids. */
  @Ids() custom_audience_ids?: string[];
}

/** A new audience. Users are uploaded afterwards. */
@Example({ name: 'Readers of the newsletter', description: 'Signed up at a till' })
export class CreateCustomAudience {
  /** The audience's name, unique within the account. */
  @Text({ visible: true, min: 1, max: 255, trimmed: true, unique: true }) name: string;
  /** The audience's description. */
  @Text({ nullable: true, max: 1000 }) description?: string | null;
}

@Example({ description: 'Bought beans in the last 180 days' })
export class UpdateCustomAudience {
  /** The audience's name, unique within the account. */
  @Text({ visible: true, optional: true, min: 1, max: 255, trimmed: true, unique: true }) name?: string;
  /** The audience's description. */
  @Text({ nullable: true, max: 1000 }) description?: string | null;
}
