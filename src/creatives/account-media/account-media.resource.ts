import { defineResource } from '../../accounts/resources/resource-definition.js';
import { AccountMedia } from './account-media.entity.js';

/** Deleting one leaves the library as it is, and the media creatives that name it. */
export const ACCOUNT_MEDIA = defineResource<AccountMedia>({
  entity: AccountMedia,
  name: 'ACCOUNT_MEDIA',
  label: 'Account Media',
  parameter: 'account_media_id',
  snapshot: ({ id, mediaKey, creativeType }) => ({ id, media_key: mediaKey, creative_type: creativeType }),
});
