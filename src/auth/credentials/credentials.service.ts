import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, LessThan, type EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { nextUpdatedAtOf } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/query/sqlstate.js';
import { insert, insertOrIgnore, write } from '../../common/db/query/write.js';
import { newId, newNumber } from '../../common/entity/ids.js';
import { newRow } from '../../common/db/query/new-row.js';
import type { Newest } from '../../common/list/newest.js';
import { AccessToken } from './access-token.entity.js';
import { checkedCallbacks } from './callbacks.js';
import { Application, type AccessLevel } from './application.entity.js';
import { CallersService } from './callers.service.js';
import { Passwords } from './passwords.js';
import { tokenRevoked } from './token-revoked.event.js';
import { accessTokenText, secretText } from './tokens.js';
import { User } from './user.entity.js';
import { Vault } from './vault.js';

/** A key or token and its secret. It is shown once and stored sealed. */
export interface KeyAndSecret {
  key: string;
  secret: string;
}

/** The settings of a new application. */
export interface NewApplication {
  name: string;
  ownerId: string;
  accessLevel?: AccessLevel;
  callbacks?: string[];
  signIn?: boolean;
  desktop?: boolean;
}

/** The settings of an application to change; absent ones stay as they are. */
export type ApplicationChanges = Partial<
  Pick<Application, 'name' | 'accessLevel' | 'callbacks' | 'signIn' | 'desktop' | 'adsAccess'>
>;

/** A user by id, by username, or both, and the display name of a new one. */
export interface WantedUser {
  id?: string;
  username?: string;
  name?: string;
}

/** An access token without its secret. */
export interface KnownToken extends Omit<AccessToken, 'lookup' | 'sealedToken' | 'sealedSecret'> {
  /** The token itself, which is useless without its secret. */
  key: string;
}

/** The most ids or names that one read looks for. */
const MAX_IDS_PER_READ = 5_000;

/** The username is taken. */
export class UsernameTaken extends Error {}

/** Creates users, applications and access tokens, for the command line, the demo and the authorization flows. */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    private readonly callers: CallersService,
    private readonly clock: Clock,
    private readonly passwords: Passwords,
  ) {}

  /** Creates a user. Without a password the user cannot sign in. */
  async createUser(
    username: string,
    { name = username, password }: { name?: string; password?: string } = {},
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
        await write(this.db.manager, [insert(User, [user])]);
        return user;
      });
    } catch (error) {
      if (sqlStateOf(error).constraint === 'users_username')
        throw new UsernameTaken(`the username ${username} is taken`);
      throw error;
    }
  }

  /**
   * The users with these ids or usernames, deleted ones too. Users given by username that do not exist are created, without
   * a password. A user given by id and username who has only one of them is in the answer: the caller compares.
   */
  async ensureUsers(wanted: readonly WantedUser[]): Promise<Row<User>[]> {
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

  /** The user with this username, case-insensitive. */
  userNamed(username: string): Promise<Row<User> | undefined> {
    return rows(this.db.manager, User).whereEqualsIgnoreCase('username', username).getOne();
  }

  /** The users with these ids who exist. */
  users(ids: string[]): Promise<Row<User>[]> {
    return rows(this.db.manager, User).whereIn('id', ids).getMany();
  }

  async createApplication({
    name,
    ownerId,
    accessLevel = 'write',
    callbacks = [],
    signIn = false,
    desktop = false,
  }: NewApplication): Promise<{ application: Application; consumer: KeyAndSecret }> {
    const consumer = { key: secretText(25), secret: secretText(50) };
    const fields = {
      name,
      ownerId,
      consumerKey: consumer.key,
      sealedSecret: this.vault.seal(consumer.secret),
      accessLevel,
      callbacks: checkedCallbacks(callbacks),
      signIn,
      desktop,
      adsAccess: true,
    };
    const application = await retrying(async () => {
      const now = this.clock.now();
      const own = { id: newNumber(now), createdAt: now, updatedAt: now };
      const made = this.db.manager.create(Application, { ...own, ...fields });
      await this.db.manager.insert(Application, made);
      return made;
    });
    await this.callers.invalidate();
    return { application, consumer };
  }

  /** All applications in the order of their creation, at most 1,000. */
  applications(): Promise<Application[]> {
    return this.db.manager.find(Application, { order: { id: 'ASC' }, take: 1000 });
  }

  /** The applications with these ids that exist. */
  applicationsOf(ids: string[]): Promise<Application[]> {
    return this.db.manager.findBy(Application, { id: In(ids) });
  }

  /** The applications of a user in the order of their creation, at most 1,000. */
  applicationsOwnedBy(ownerId: string): Promise<Application[]> {
    return this.db.manager.find(Application, { where: { ownerId }, order: { id: 'ASC' }, take: 1000 });
  }

  application(id: string): Promise<Application | null> {
    return this.db.manager.findOneBy(Application, { id });
  }

  /** Changes the settings of an application; null where there is no such application. */
  async updateApplication(id: string, { callbacks, ...changes }: ApplicationChanges): Promise<Application | null> {
    await this.changeApplication(id, { ...changes, callbacks: callbacks && checkedCallbacks(callbacks) });
    return this.application(id);
  }

  /** At most two applications: the one with this id or consumer key, or those with this name. */
  findApplications(text: string): Promise<Application[]> {
    const where = [{ id: text }, { consumerKey: text }, { name: text }];
    return this.db.manager.find(Application, { where, order: { id: 'ASC' }, take: 2 });
  }

  /** Replaces the consumer key and secret. Requests signed with the old ones are refused from now on. */
  async rotateApplication(id: string): Promise<KeyAndSecret | undefined> {
    const consumer = { key: secretText(25), secret: secretText(50) };
    const sealedSecret = this.vault.seal(consumer.secret);
    const rotated = await this.changeApplication(id, { consumerKey: consumer.key, sealedSecret });
    return rotated ? consumer : undefined;
  }

  private async changeApplication(id: string, changes: Partial<Application>): Promise<boolean> {
    const updatedAt = nextUpdatedAtOf(this.clock.now());
    const { affected } = await this.db.manager.update(
      Application,
      { id, deletedAt: IsNull() },
      { ...changes, updatedAt },
    );
    await this.callers.invalidate();
    return affected === 1;
  }

  /** Creates an access token for the application to act for the user. Authorization flows never return this one. */
  async issueToken(userId: string, applicationId: string, accessLevel: AccessLevel): Promise<KeyAndSecret> {
    return retrying(async () => {
      const { pair, token } = this.newToken(userId, applicationId, accessLevel, 'command');
      await this.db.manager.insert(AccessToken, token);
      return pair;
    });
  }

  /**
   * The access token that flows return for this user, application and level: the existing one, or a new one. Two flows that
   * end at the same time get the same token, since a unique index allows only one.
   */
  async flowToken(
    tx: EntityManager,
    userId: string,
    applicationId: string,
    accessLevel: AccessLevel,
  ): Promise<KeyAndSecret> {
    for (;;) {
      const { token } = this.newToken(userId, applicationId, accessLevel, 'flow');
      await tx.createQueryBuilder().insert().into(AccessToken).values(token).orIgnore().execute();
      const valid = { userId, applicationId, accessLevel, source: 'flow' as const, revokedAt: IsNull() };
      const found = await tx.findOneBy(AccessToken, valid);
      // Revoked between the two statements, or its id was taken: the next iteration creates another.
      if (found) return { key: this.vault.open(found.sealedToken), secret: this.vault.open(found.sealedSecret) };
    }
  }

  private newToken(
    userId: string,
    applicationId: string,
    accessLevel: AccessLevel,
    source: 'command' | 'flow',
  ): { pair: KeyAndSecret; token: AccessToken } {
    const now = this.clock.now();
    const pair = { key: accessTokenText(userId), secret: secretText(45) };
    const token: AccessToken = {
      id: newId(now),
      lookup: this.vault.lookup(pair.key),
      sealedToken: this.vault.seal(pair.key),
      sealedSecret: this.vault.seal(pair.secret),
      userId,
      applicationId,
      accessLevel,
      source,
      createdAt: now,
      revokedAt: null,
    };
    return { pair, token };
  }

  /** Access tokens, the newest first: all, or those of a user, of an application or of both; revoked ones on request. */
  async newestTokens({
    userId,
    applicationId,
    revokedToo = false,
    before,
    limit,
  }: Newest & { userId?: string; applicationId?: string; revokedToo?: boolean }): Promise<KnownToken[]> {
    const where = {
      ...(userId !== undefined && { userId }),
      ...(applicationId !== undefined && { applicationId }),
      ...(!revokedToo && { revokedAt: IsNull() }),
      ...(before !== undefined && { id: LessThan(before) }),
    };
    const found = await this.db.manager.find(AccessToken, { where, order: { id: 'DESC' }, take: limit });
    return found.map((each) => this.known(each));
  }

  /** The access token with this text or id, valid or revoked. */
  async accessToken(keyOrId: string): Promise<KnownToken | undefined> {
    const where = [{ id: keyOrId }, { lookup: In(this.vault.lookups(keyOrId)) }];
    const found = await this.db.manager.findOneBy(AccessToken, where);
    return found ? this.known(found) : undefined;
  }

  private known({ lookup: _lookup, sealedToken, sealedSecret: _sealedSecret, ...token }: AccessToken): KnownToken {
    return { ...token, key: this.vault.open(sealedToken) };
  }

  /** Revokes a token and sends an event to its application; false where there is no such valid token. */
  revokeToken(key: string): Promise<boolean> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
        const now = this.clock.now();
        const where = { lookup: In(this.vault.lookups(key)), revokedAt: IsNull() };
        const token = await tx.findOne(AccessToken, { where, lock: { mode: 'for_no_key_update' } });
        if (!token) return false;
        await tx.update(AccessToken, { id: token.id }, { revokedAt: now });
        await write(tx, [tokenRevoked(token, now)]);
        await this.callers.invalidate(tx);
        return true;
      }),
    );
  }
}
