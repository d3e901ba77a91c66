import { Ids, OneOf, Text } from '../../common/http/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { CustomAudience } from './custom-audience.entity.js';

export const PERMISSION_SCOPES = ['OWNER', 'SHARED'] as const;
export type PermissionScope = (typeof PERMISSION_SCOPES)[number];

/** Part 1, 4.8. */
export class ListCustomAudiences extends ListQuery(CustomAudience) {
  @OneOf(PERMISSION_SCOPES, {
    optional: true,
    about: 'OWNER, those of the account, unless given; SHARED, those it was granted',
  })
  permission_scope?: PermissionScope;
  @Text({ optional: true, min: 1, max: 255, about: 'the beginning of a name, without case' }) q?: string;
  @Ids() custom_audience_ids?: string[];
}

/** Part 1, 4.8: a place for people, who are uploaded afterwards. */
export class CreateCustomAudience {
  @Text({ min: 1, max: 255, trimmed: true, about: 'what the audience is called; no other of the account is called so' })
  name: string;
  @Text({ unsettable: true, max: 1000, about: 'a note on whom it holds' }) description?: string | null;
}

export class UpdateCustomAudience {
  @Text({
    optional: true,
    min: 1,
    max: 255,
    trimmed: true,
    about: 'what the audience is called; no other of the account is called so',
  })
  name?: string;
  @Text({ unsettable: true, max: 1000, about: 'a note on whom it holds' }) description?: string | null;
}
