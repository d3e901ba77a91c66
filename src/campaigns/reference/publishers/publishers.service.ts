import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { User } from '../../../auth/credentials/user.entity.js';
import { Clock } from '../../../common/clock.js';
import { allExist } from '../../../common/db/query/preconditions.js';
import { retrying } from '../../../common/db/query/retry.js';
import { rows, type Row } from '../../../common/db/query/rows.js';
import { sqlStateOf } from '../../../common/db/query/sqlstate.js';
import { insert, replace, write } from '../../../common/db/query/write.js';
import { deletedRow, newRow } from '../../../common/db/query/new-row.js';
import { page } from '../../../common/list/page.js';
import { Page } from '../../../common/http/page.js';
import { AdministrationRefused } from '../administration-refused.js';
import type { NamedPublisher } from './publisher.presenter.js';
import { Publisher } from './publisher.entity.js';
import type { ListPublishers, NewPublisher } from './publishers.dto.js';
import { contentCategoriesExist, takenOutOfCategories } from './publishers.statements.js';

@Injectable()
export class PublishersService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  async list(query: ListPublishers): Promise<Page<NamedPublisher>> {
    const found = await page(rows(this.db.manager, Publisher), query);
    const ids = found.items.map(({ userId }) => userId);
    const users = ids.length === 0 ? [] : await rows(this.db.manager, User).withDeleted().whereIn('id', ids).getMany();
    const names = new Map(users.map(({ id, username }) => [id, username]));
    return found.map((publisher) => ({ ...publisher, username: names.get(publisher.userId)! }));
  }

  /** Those of these users who are publishers. */
  of(userIds: readonly string[], db = this.db.manager): Promise<Row<Publisher>[]> {
    return rows(db, Publisher)
      .whereIn('userId', [...new Set(userIds)])
      .getMany();
  }

  /** Makes publishers of users, of all or of none. */
  async create(publishers: readonly NewPublisher[]): Promise<Row<Publisher>[]> {
    const categories = [...new Set(publishers.flatMap((each) => each.content_category_ids ?? []))];
    const userIds = publishers.map(({ user_id }) => user_id);
    try {
      return await retrying(async () => {
        const made = publishers.map((each) => ({
          ...newRow(this.clock.now()),
          userId: each.user_id,
          monetizableCountryCodes: each.monetizable_country_codes ?? [],
          promotionEligibleCountryCodes: each.promotion_eligible_country_codes ?? [],
          monetizationRestricted: each.monetization_restricted ?? false,
          contentCategoryIds: each.content_category_ids ?? [],
        }));
        await write(
          this.db.manager,
          [insert(Publisher, made)],
          [
            allExist(User, userIds, () => new AdministrationRefused(`there is no user ${userIds.join(', ')} any more`)),
            contentCategoriesExist(
              categories,
              () =>
                new AdministrationRefused(
                  `not all of ${categories.join(', ')} are content categories; \`marquee reference show content_categories\` shows them`,
                ),
            ),
          ],
        );
        return made;
      });
    } catch (error) {
      if (sqlStateOf(error).constraint !== 'publishers_user') throw error;
      throw new AdministrationRefused(`user ${userIds.join(', ')} is a publisher already`);
    }
  }

  /** A user is no publisher any more, and curated categories do not name them; undefined where they were none. */
  delete(userId: string): Promise<Row<Publisher> | undefined> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
        // whoever makes a curated category of it waits, and finds it gone
        const publisher = await rows(tx, Publisher).where('userId', userId).setLock('pessimistic_write').getOne();
        if (!publisher) return undefined;
        const gone = deletedRow(publisher, this.clock.now());
        await write(tx, [replace(Publisher, [gone]), takenOutOfCategories(userId, gone.updatedAt)]);
        return gone;
      }),
    );
  }
}
