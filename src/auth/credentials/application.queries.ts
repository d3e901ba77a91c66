import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { Application } from './application.entity.js';

/** What a client id can be: those of applications are shorter. PostgreSQL takes no NUL. */
const CLIENT_ID = /^[\x21-\x7e]{1,200}$/;

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

  /** The application with this id; null where there is none. `db`: the database of a request. */
  findById(id: string, db: EntityManager = this.db.manager): Promise<Application | null> {
    return db.findOneBy(Application, { id });
  }

  /** The application with this client id; null where there is none, as for any text that no client id can be. */
  async findByClientId(clientId: string): Promise<Application | null> {
    if (!CLIENT_ID.test(clientId)) return null;
    return this.db.manager.findOneBy(Application, { clientId });
  }

  /** Those of these ids and consumer keys that belong to an application that exists. */
  findKeys(ids: string[], consumerKeys: string[]): Promise<Pick<Application, 'id' | 'consumerKey'>[]> {
    const where = [{ id: In(ids) }, { consumerKey: In(consumerKeys) }];
    return this.db.manager.find(Application, { select: { id: true, consumerKey: true }, where });
  }

  /** At most two applications: the one with this id, consumer key or client id, or those with this name. */
  find(text: string): Promise<Application[]> {
    const where = [{ id: text }, { consumerKey: text }, { clientId: text }, { name: text }];
    return this.db.manager.find(Application, { where, order: { id: 'ASC' }, take: 2 });
  }
}
