import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { newRow } from '../../common/db/query/new-row.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { insertOrIgnore, write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { User } from './user.entity.js';

/** A user by id, by username, or both, and the display name of a new one. */
export interface WantedUser {
  id?: string;
  username?: string;
  name?: string;
}

/** The most ids or names that one read looks for. */
const MAX_IDS_PER_READ = 5_000;

/** Finds many users, and creates those that do not exist. */
@Injectable()
export class WantedUsersService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * The users with these ids or usernames, deleted ones too. Users given by username that do not exist are created, without
   * a password. A user given by id and username who has only one of them is in the answer: the caller compares.
   */
  async ensure(wanted: readonly WantedUser[]): Promise<Row<User>[]> {
    const found = await this.findWanted(wanted);
    const ids = new Set(found.map(({ id }) => id));
    const names = new Set(found.map(({ username }) => username.toLowerCase()));
    const missing = new Map<string, Row<User>>();
    const now = this.clock.now();
    for (const { id, username, name = username } of wanted) {
      if (username === undefined || names.has(username.toLowerCase()) || (id !== undefined && ids.has(id))) continue;
      names.add(username.toLowerCase());
      const row = newRow(now, newNumber);
      missing.set(username, { ...row, id: id ?? row.id, username, name: name!, passwordHash: null, suspendedAt: null });
    }
    if (missing.size === 0) return found;
    // another process may create one of them, or draw the same id, at the same time: what is stored then counts
    await write(this.db.manager, [insertOrIgnore(User, [...missing.values()])]);
    return this.findWanted(wanted);
  }

  private async findWanted(wanted: readonly WantedUser[]): Promise<Row<User>[]> {
    const all = new Map<string, Row<User>>();
    for (let from = 0; from < wanted.length; from += MAX_IDS_PER_READ) {
      const some = wanted.slice(from, from + MAX_IDS_PER_READ);
      const names = some.flatMap(({ username }) => username ?? []);
      const ids = some.flatMap(({ id }) => id ?? []);
      for (const narrow of [
        (users: Rows<User>) => users.whereInIgnoreCase('username', names),
        (users: Rows<User>) => users.whereIn('id', ids),
      ])
        for (const user of await narrow(rows(this.db.manager, User).withDeleted()).getMany()) all.set(user.id, user);
    }
    return [...all.values()];
  }
}
