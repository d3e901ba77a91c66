import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Application } from './application.entity.js';

/** Finds applications. */
@Injectable()
export class ApplicationQueries {
  constructor(private readonly db: DataSource) {}

  /** All applications in the order of their creation, at most 1,000. */
  list(): Promise<Application[]> {
    return this.db.manager.find(Application, { order: { id: 'ASC' }, take: 1000 });
  }

  /** The applications with these ids that exist. */
  findByIds(ids: string[]): Promise<Application[]> {
    return this.db.manager.findBy(Application, { id: In(ids) });
  }

  /** The applications of a user in the order of their creation, at most 1,000. */
  listOwnedBy(ownerId: string): Promise<Application[]> {
    return this.db.manager.find(Application, { where: { ownerId }, order: { id: 'ASC' }, take: 1000 });
  }

  /** The application with this id; null where there is none. */
  findById(id: string): Promise<Application | null> {
    return this.db.manager.findOneBy(Application, { id });
  }

  /** The ids of the applications with these consumer keys, by key. */
  async idsByConsumerKey(keys: string[]): Promise<Map<string, string>> {
    const where = { consumerKey: In(keys) };
    const found = await this.db.manager.find(Application, { select: { id: true, consumerKey: true }, where });
    return new Map(found.map(({ id, consumerKey }) => [consumerKey, id]));
  }

  /** At most two applications: the one with this id or consumer key, or those with this name. */
  find(text: string): Promise<Application[]> {
    const where = [{ id: text }, { consumerKey: text }, { name: text }];
    return this.db.manager.find(Application, { where, order: { id: 'ASC' }, take: 2 });
  }
}
