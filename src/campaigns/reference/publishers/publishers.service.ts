import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { User } from '../../../auth/credentials/user.entity.js';
import { Clock } from '../../../common/time/clock.js';
import { nextUpdatedAtOf } from '../../../common/db/query/computed.js';
import { newRow } from '../../../common/db/query/new-row.js';
import { allExist } from '../../../common/db/query/preconditions.js';
import { retrying } from '../../../common/db/query/retry.js';
import { rows, type Row } from '../../../common/db/query/rows.js';
import { insert, write } from '../../../common/db/query/write.js';
import { sqlStateOf } from '../../../common/db/sqlstate.js';
import { Page } from '../../../common/http/answers/page.js';
import { page } from '../../../common/list/page.js';
import { AdministrationRefused } from '../reference-data.service.js';
import { Publisher } from './publisher.entity.js';
import type { NamedPublisher } from './publisher.presenter.js';
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
    const users = await this.db.manager.find(User, { where: { id: In(ids) }, withDeleted: true });
    const names = new Map(users.map(({ id, username }) => [id, username]));
    return found.map((publisher) => ({ ...publisher, username: names.get(publisher.userId)! }));
  }

  /** The publishers among these users. */
  of(userIds: readonly string[], db = this.db.manager): Promise<Row<Publisher>[]> {
    return rows(db, Publisher)
      .whereIn('userId', [...new Set(userIds)])
      .getMany();
  }

  /** Makes all of these users publishers, or none. */
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
            allExist(
              User,
              userIds.map((id) => ({ id })),
              () => new AdministrationRefused(`user ${userIds.join(', ')} does not exist`),
            ),
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
      throw new AdministrationRefused(`user ${userIds.join(', ')} is already a publisher`);
    }
  }

  /**
   * Deletes the publisher of a user and removes it from curated categories; undefined if the user is not a publisher.
   */
  delete(userId: string): Promise<Publisher | undefined> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
        // A concurrent request for a curated category that names the publisher waits for this lock and then fails.
        const publisher = await tx.findOne(Publisher, { where: { userId }, lock: { mode: 'pessimistic_write' } });
        if (!publisher) return undefined;
        const now = this.clock.now();
        await tx.update(Publisher, { id: publisher.id }, { deletedAt: now, updatedAt: nextUpdatedAtOf(now) });
        await write(tx, [takenOutOfCategories(userId, now.toISOString())]);
        return publisher;
      }),
    );
  }
}
