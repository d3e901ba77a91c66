import { closedSet } from '../../common/closed-set.js';
import { Example } from '../../common/http/params/example.js';
import { Ids, OneOf, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { CustomAudience } from '../entities/custom-audience.entity.js';

export const PERMISSION_SCOPES = closedSet('PermissionScope', ['OWNER', 'SHARED']);
export type PermissionScope = (typeof PERMISSION_SCOPES)[number];

export class ListCustomAudiences extends ListQuery(CustomAudience) {
  /** OWNER: those of the account, which are answered unless given. SHARED: those it was granted. */
  @OneOf(PERMISSION_SCOPES, { optional: true }) permission_scope?: PermissionScope;
  /** Only what has a name that begins like this, whatever the case. */
  @Text({ optional: true, min: 1, max: 255 }) q?: string;
  /** Only the audiences with these ids. */
  @Ids() custom_audience_ids?: string[];
}

/** A place for people, who are uploaded afterwards. */
@Example({ name: 'Readers of the newsletter', description: 'Signed up at a till' })
export class CreateCustomAudience {
  /** What the audience is called; no other of the account is called so. */
  @Text({ visible: true, min: 1, max: 255, trimmed: true, unique: true }) name: string;
  /** A note on whom it holds. */
  @Text({ nullable: true, max: 1000 }) description?: string | null;
}

@Example({ description: 'Bought beans in the last 180 days' })
export class UpdateCustomAudience {
  /** What the audience is called; no other of the account is called so. */
  @Text({ visible: true, optional: true, min: 1, max: 255, trimmed: true, unique: true }) name?: string;
  /** A note on whom it holds. */
  @Text({ nullable: true, max: 1000 }) description?: string | null;
}
