import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Returns the known countries of users by id, as ISO 3166-1 alpha-2 codes. */
export type CountryLookup = (userIds: readonly string[], db: EntityManager) => Promise<ReadonlyMap<string, string>>;

const NOWHERE: ReadonlyMap<string, string> = new Map();

/**
 * Countries of post authors. A module above this domain registers the lookup at startup with `knownBy`; until then no
 * country is known.
 */
@Injectable()
export class AuthorCountries {
  private lookup?: CountryLookup;

  knownBy(lookup: CountryLookup): void {
    this.lookup = lookup;
  }

  /** `db`: the transaction that stores the posts, if there is one. */
  async of(userIds: readonly string[], db: EntityManager): Promise<ReadonlyMap<string, string>> {
    return this.lookup ? this.lookup([...new Set(userIds)], db) : NOWHERE;
  }
}
