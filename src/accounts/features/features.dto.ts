import { Example } from '../../common/http/params/example.js';
import { EnumList } from '../../common/http/params/fields.js';
import { FEATURES, QUERYABLE_FEATURES, type Feature } from '../accounts.features.js';

export class ListFeatures {
  /** Only these features, where the account has them. */
  @EnumList(QUERYABLE_FEATURES, { optional: true }) feature_keys?: Feature[];
}

/** Sandbox only. */
@Example({ feature_keys: ['AGE_TARGETING', 'CITY_TARGETING'] })
export class ChangeFeatures {
  /** The features that are given or taken away. */
  @EnumList(FEATURES) feature_keys: Feature[];
}
