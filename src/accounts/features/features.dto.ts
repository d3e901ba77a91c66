import { Several } from '../../common/http/fields.js';
import { FEATURES, QUERYABLE_FEATURES, type Feature } from './features.js';

export class ListFeatures {
  @Several(QUERYABLE_FEATURES, { optional: true }) feature_keys?: Feature[];
}

/** Part 3, 4.4, sandbox only. */
export class ChangeFeatures {
  @Several(FEATURES) feature_keys: Feature[];
}
