import { ADVERTISER_BUSINESS_CATEGORIES } from './advertiser-business-categories/advertiser-business-category.reference.js';
import { BIDDING_RULES } from './bidding-rules/bidding-rule.reference.js';
import { CONTENT_CATEGORIES } from './content-categories/content-category.reference.js';
import { IAB_CATEGORIES } from './iab-categories/iab-category.reference.js';
import type { AnyReferenceKind } from './reference-kind.js';

/** All kinds of reference data. A kind that refers to another comes after it. */
export const REFERENCE_KINDS: readonly AnyReferenceKind[] = [
  IAB_CATEGORIES,
  ADVERTISER_BUSINESS_CATEGORIES,
  CONTENT_CATEGORIES,
  BIDDING_RULES,
];
