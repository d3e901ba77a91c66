import type { Placement, ProductType } from '../entities/line-item.tables.js';

/** The placements that a line item of a product type can have together. */
export interface PlacementCombinations {
  productType: ProductType;
  placements: readonly (readonly Placement[])[];
}

/**
 * Common combinations. Line items are validated by rules, not against this list. For MEDIA, combinations with
 * ALL_ON_PLATFORM are for PREROLL_VIEWS and those with TAP_* for other objectives.
 */
const PLACEMENT_COMBINATIONS: readonly PlacementCombinations[] = [
  {
    productType: 'MEDIA',
    placements: [
      ['PUBLISHER_NETWORK'],
      ['ALL_ON_PLATFORM'],
      ['ALL_ON_PLATFORM', 'PUBLISHER_NETWORK'],
      ['TAP_FULL'],
      ['TAP_FULL_LANDSCAPE'],
      ['TAP_BANNER'],
      ['TAP_MRECT'],
    ],
  },
  { productType: 'PROMOTED_ACCOUNT', placements: [['ALL_ON_PLATFORM'], ['PLATFORM_TIMELINE']] },
  {
    productType: 'PROMOTED_POSTS',
    placements: [
      ['ALL_ON_PLATFORM'],
      ['ALL_ON_PLATFORM', 'PUBLISHER_NETWORK'],
      ['PUBLISHER_NETWORK'],
      ['PUBLISHER_NETWORK', 'PLATFORM_TIMELINE'],
      ['PLATFORM_SEARCH'],
      ['PLATFORM_TIMELINE'],
      ['PLATFORM_TIMELINE', 'PLATFORM_PROFILE'],
      ['PLATFORM_TIMELINE', 'PLATFORM_SEARCH'],
      ['PLATFORM_TIMELINE', 'PLATFORM_REPLIES'],
      ['PLATFORM_TIMELINE', 'PLATFORM_PROFILE', 'PLATFORM_SEARCH', 'PLATFORM_REPLIES'],
    ],
  },
];

/** The combinations of a product type, or of all. */
export const placementsOf = (product?: ProductType): PlacementCombinations[] =>
  PLACEMENT_COMBINATIONS.filter(({ productType }) => product === undefined || productType === product);
