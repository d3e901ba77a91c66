import { defineResource } from '../../accounts/resources/resource-definition.js';
import { AccountMedia } from './account-media.entity.js';

/** Deleting one does not change the library or the media creatives that reference it. */
export const ACCOUNT_MEDIA = defineResource<AccountMedia>({
  entity: AccountMedia,
  name: 'ACCOUNT_MEDIA',
  label: 'Account Media',
  parameter: 'account_media_id',
  snapshot: ({ id, mediaKey, creativeType }) => ({ id, media_key: mediaKey, creative_type: creativeType }),
});
