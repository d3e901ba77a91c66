import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Answers the countries of users, ISO 3166-1 alpha-2, by their ids, as far as they are known. */
export type CountryLookup = (userIds: readonly string[], db: EntityManager) => Promise<ReadonlyMap<string, string>>;

const NOWHERE: ReadonlyMap<string, string> = new Map();

/**
 * Where the authors of posts are. Who knows that stands above this domain and says so at start, with `knownBy`; until
 * then nobody is anywhere.
 */
@Injectable()
export class AuthorCountries {
  private lookup?: CountryLookup;

  knownBy(lookup: CountryLookup): void {
    this.lookup = lookup;
  }

  /** `db`: the transaction in which their posts are stored, if it is one. */
  async of(userIds: readonly string[], db: EntityManager): Promise<ReadonlyMap<string, string>> {
    return this.lookup ? this.lookup([...new Set(userIds)], db) : NOWHERE;
  }
}
