import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../../common/time/clock.js';
import { nextAfterStored } from '../../../common/db/query/computed.js';
import { newRow } from '../../../common/db/query/new-row.js';
import { allStillExist } from '../../../common/db/query/preconditions.js';
import { retrying } from '../../../common/db/query/retry.js';
import { rows, type Row } from '../../../common/db/query/rows.js';
import { insert, write } from '../../../common/db/query/write.js';
import { notFound } from '../../../common/errors/catalogue.js';
import type { OneQuery } from '../../../common/list/list-query.js';
import { one } from '../../../common/list/one.js';
import { page } from '../../../common/list/page.js';
import { CuratedCategory } from '../../entities/curated-category.entity.js';
import { Publisher } from '../publishers/publisher.entity.js';
import { PublishersService } from '../publishers/publishers.service.js';
import { AdministrationRefused } from '../reference-data.service.js';
import type { ListCuratedCategories, NewCuratedCategory } from './curated-categories.dto.js';

type CategoryRow = Row<CuratedCategory>;

@Injectable()
export class CuratedCategoriesService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly publishers: PublishersService,
  ) {}

  /** Every page has `total_count`. */
  list(query: ListCuratedCategories) {
    const found = this.all().arrayOverlaps('countryCodes', query.country_codes);
    return page(found, { ...query, with_total_count: true });
  }

  /** The category for an account. Throws 404 if it does not exist. */
  read(account: { id: string }, id: string, query: OneQuery): Promise<CategoryRow> {
    const unknown = () => notFound('Curated Category', 'curated_category_id', id, account.id);
    return one(this.all(), id, unknown, query);
  }

  /** The category with this id; undefined if it does not exist or is deleted. */
  get(id: string, db?: EntityManager): Promise<CategoryRow | undefined> {
    return this.all(db).where('id', id).getOne();
  }

  /** Creates all categories or none. The users they name must be publishers. */
  create(categories: readonly NewCuratedCategory[]): Promise<Row<CuratedCategory>[]> {
    return retrying(async () => {
      const named = [...new Set(categories.flatMap((each) => each.publisher_user_ids ?? []))];
      const publishers = named.length === 0 ? [] : await this.publishers.of(named);
      const known = new Set(publishers.map(({ userId }) => userId));
      const unknown = named.filter((id) => !known.has(id));
      if (unknown.length > 0)
        throw new AdministrationRefused(
          `${unknown.join(', ')}: not a publisher; \`marquee publisher create\` makes a user a publisher`,
        );
      const made = categories.map((each) => ({
        ...newRow(this.clock.now()),
        name: each.name,
        description: each.description,
        countryCodes: each.country_codes,
        publisherUserIds: each.publisher_user_ids ?? [],
        videosMonetizedInLastThirtyDays: each.videos_monetized_in_last_thirty_days ?? 0,
      }));
      await write(this.db.manager, [insert(CuratedCategory, made)], allStillExist(Publisher, publishers));
      return made;
    });
  }

  /** Deletes a category; undefined if it does not exist. Existing targeting keeps it. */
  async delete(id: string): Promise<Row<CuratedCategory> | undefined> {
    const time = this.clock.now().toISOString();
    const [gone] = await rows(this.db.manager, CuratedCategory)
      .where('id', id)
      .update({ deletedAt: time, updatedAt: nextAfterStored(time) });
    return gone;
  }

  private all(db = this.db.manager) {
    return rows(db, CuratedCategory);
  }
}
