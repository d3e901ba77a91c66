import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { User } from '../../../auth/credentials/user.entity.js';
import { rows, type Row } from '../../../common/db/query/rows.js';
import { page } from '../../../common/list/page.js';
import { Page } from '../../../common/http/answers/page.js';
import type { NamedPublisher } from './publisher.presenter.js';
import { Publisher } from './publisher.entity.js';
import { PublisherWrites } from './publisher.writes.js';
import type { ListPublishers, NewPublisher } from './publishers.dto.js';

@Injectable()
export class PublishersService {
  constructor(
    private readonly db: DataSource,
    private readonly writes: PublisherWrites,
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
  create(publishers: readonly NewPublisher[]): Promise<Row<Publisher>[]> {
    return this.writes.create(publishers);
  }

  /**
   * Deletes the publisher of a user and removes it from curated categories; undefined if the user is not a publisher.
   */
  delete(userId: string): Promise<Publisher | undefined> {
    return this.writes.delete(userId);
  }
}
