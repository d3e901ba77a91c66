import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { newRow } from '../../common/db/query/new-row.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { insert, write } from '../../common/db/query/write.js';
import { newNumber } from '../../common/entity/ids.js';
import { Passwords } from './passwords.js';
import { User } from './user.entity.js';

/** The username is taken. */
export class UsernameTaken extends Error {}

/** Creates and finds users. */
@Injectable()
export class UsersService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly passwords: Passwords,
  ) {}

  /** Creates a user. Without a password the user cannot sign in. */
  async create(
    username: string,
    { name = username, password }: { name?: string; password?: string } = {},
    db = this.db.manager,
  ): Promise<Row<User>> {
    const passwordHash = password === undefined ? null : await this.passwords.hash(password);
    try {
      return await retrying(async () => {
        const user: Row<User> = {
          ...newRow(this.clock.now(), newNumber),
          username,
          name,
          passwordHash,
          suspendedAt: null,
        };
        await write(db, [insert(User, [user])]);
        return user;
      });
    } catch (error) {
      if (sqlStateOf(error).constraint === 'users_username')
        throw new UsernameTaken(`the username ${username} is taken`);
      throw error;
    }
  }

  /** The user with this username, case-insensitive. */
  findByUsername(username: string): Promise<Row<User> | undefined> {
    return rows(this.db.manager, User).whereEqualsIgnoreCase('username', username).getOne();
  }

  /** The users with these ids who exist. */
  findByIds(ids: string[], db = this.db.manager): Promise<Row<User>[]> {
    return rows(db, User).whereIn('id', ids).getMany();
  }
}
