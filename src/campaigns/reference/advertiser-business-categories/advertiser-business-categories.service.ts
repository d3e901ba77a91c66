import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Row } from '../../../common/db/query/rows.js';
import { Page } from '../../../common/http/answers/page.js';
import { ReferenceData } from '../reference-data.service.js';
import { wholeGroups, type WholeGroups } from './advertiser-business-categories.rules.js';
import {
  ADVERTISER_BUSINESS_CATEGORIES,
  type AdvertiserBusinessCategory,
} from './advertiser-business-category.entity.js';

@Injectable()
export class AdvertiserBusinessCategoriesService {
  constructor(private readonly data: ReferenceData) {}

  /** All advertiser business categories. */
  async list(): Promise<Page<Row<AdvertiserBusinessCategory>>> {
    return new Page([...(await this.all())], null);
  }

  all(db?: EntityManager): Promise<readonly Row<AdvertiserBusinessCategory>[]> {
    return this.data.all(ADVERTISER_BUSINESS_CATEGORIES, db);
  }

  /** The advertiser business categories that IAB categories belong to, each as the complete set. */
  async wholeGroups(categories: readonly string[]): Promise<WholeGroups> {
    return wholeGroups(categories, await this.all());
  }
}
