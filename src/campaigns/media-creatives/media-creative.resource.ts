import { defineResource } from '../../accounts/resources/resource-definition.js';
import { MEDIUM_ONCE, MediaCreative } from './media-creative.entity.js';
import { presentMediaCreative } from './media-creative.presenter.js';

/** Whoever comes second with the same medium finds the first. */
export const MEDIA_CREATIVES = defineResource<MediaCreative>({
  entity: MediaCreative,
  name: 'MEDIA_CREATIVE',
  label: 'Media Creative',
  parameter: 'media_creative_id',
  snapshot: presentMediaCreative,
  uniques: [{ index: MEDIUM_ONCE, columns: ['lineItemId', 'accountMediaId'] }],
});
