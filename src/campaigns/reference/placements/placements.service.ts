import { Injectable } from '@nestjs/common';
import type { ListPlacements } from './placements.dto.js';
import { PLACEMENT_COMBINATIONS, type PlacementCombinations } from './placements.js';

@Injectable()
export class PlacementsService {
  list({ product_type }: ListPlacements): PlacementCombinations[] {
    return PLACEMENT_COMBINATIONS.filter(
      ({ productType }) => product_type === undefined || productType === product_type,
    );
  }
}
