import { defineResource } from '../../accounts/resources/resource-definition.js';
import { MEDIUM_ONCE, MediaCreative } from './media-creative.entity.js';
import { presentMediaCreative } from './media-creative.presenter.js';

/** A concurrent second request with the same media finds the first row. */
export const MEDIA_CREATIVES = defineResource<MediaCreative>({
  entity: MediaCreative,
  name: 'MEDIA_CREATIVE',
  label: 'Media Creative',
  parameter: 'media_creative_id',
  snapshot: presentMediaCreative,
  uniques: [{ index: MEDIUM_ONCE, columns: ['lineItemId', 'accountMediaId'] }],
});
