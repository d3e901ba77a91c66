import { Example } from '../../common/http/params/dto-metadata.js';
import { EnumList } from '../../common/http/params/fields.js';
import { FEATURES, QUERYABLE_FEATURES, type Feature } from '../accounts.features.js';

export class ListFeatures {
  /** Only these features, if the account has them. */
  @EnumList(QUERYABLE_FEATURES, { optional: true }) feature_keys?: Feature[];
}

/** The features to add or remove. Sandbox only. */
@Example({ feature_keys: ['AGE_TARGETING', 'CITY_TARGETING'] })
export class ChangeFeatures {
  /** The keys of the features to add or remove. */
  @EnumList(FEATURES) feature_keys: Feature[];
}
