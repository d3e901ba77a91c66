import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { TargetingCriteriaService } from '../targeting-criteria/targeting-criteria.service.js';
import type { Targeted } from './line-item-curated-category.rules.js';

/**
 * The targeted locations and content categories of line items, as curated categories need them. The only place that
 * knows targeting criteria.
 */
@Injectable()
export class TargetedPlaces {
  constructor(private readonly criteria: TargetingCriteriaService) {}

  /** A line item without location criteria targets every country. */
  async of(lineItemId: string, db?: EntityManager): Promise<Targeted> {
    const places = (await this.criteria.locationsOf([lineItemId], db)).get(lineItemId)!;
    const contentCategories = await this.criteria.targetsContentCategories(lineItemId, db);
    if (places.length === 0) return { contentCategories };
    return { contentCategories, countries: [...new Set(places.map(({ countryCode }) => countryCode))] };
  }
}
