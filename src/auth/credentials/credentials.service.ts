import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { nextAfterStored } from '../../common/db/query/computed.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/query/sqlstate.js';
import { insert, insertOrIgnore, write } from '../../common/db/query/write.js';
import { newId, newNumber } from '../../common/entity/ids.js';
import { newRow } from '../../common/db/query/new-row.js';
import { newest, type Newest } from '../../common/list/newest.js';
import { AccessToken } from './access-token.entity.js';
import { checkedCallbacks } from './callbacks.js';
import { Application, type AccessLevel } from './application.entity.js';
import { CallersService } from './callers.service.js';
import { Passwords } from './passwords.js';
import { tokenRevoked } from './token-revoked.event.js';
import { accessTokenText, secretText } from './tokens.js';
import { User } from './user.entity.js';
import { Vault } from './vault.js';

/** A key or token and its secret: shown once, stored sealed. */
export interface KeyAndSecret {
  key: string;
  secret: string;
}

/** What an application is registered with. */
export interface NewApplication {
  name: string;
  ownerId: string;
  accessLevel?: AccessLevel;
  callbacks?: string[];
  signIn?: boolean;
  desktop?: boolean;
}

/** What of an application can be changed; absent stays as it is. */
export type ApplicationChanges = Partial<
  Pick<Row<Application>, 'name' | 'accessLevel' | 'callbacks' | 'signIn' | 'desktop' | 'adsAccess'>
>;

/** A user by the platform's own id, by name, or both; and the name that a new one is shown with. */
export interface WantedUser {
  id?: string;
  username?: string;
  name?: string;
}

/** An access token without its secret. */
export interface KnownToken extends Omit<Row<AccessToken>, 'lookup' | 'sealedToken' | 'sealedSecret'> {
  /** The token itself, which requests carry and which is worth nothing without its secret. */
  key: string;
}

/** As many are looked for at once. */
const MAX_IDS_PER_READ = 5_000;

/** Somebody has this username already. */
export class UsernameTaken extends Error {}

/** Makes users, applications and access tokens, for the command line, the demo and the flows. */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    private readonly callers: CallersService,
    private readonly clock: Clock,
    private readonly passwords: Passwords,
  ) {}

  /** A user who signs in with this password, or cannot sign in without one. */
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
   * The users of these ids or names, deleted ones too; those that are named and do not exist are made, and cannot sign in.
   * A user who is asked for by id and name, and has only one of them, is in the answer: whoever asks compares.
   */
  async ensureUsers(wanted: readonly WantedUser[]): Promise<Row<User>[]> {
    const found = await this.usersMeant(wanted);
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
    // somebody else may make one of them, or draw the same id, at this moment: what is there then is what counts
    await write(this.db.manager, [insertOrIgnore(User, [...missing.values()])]);
    return this.usersMeant(wanted);
  }

  private async usersMeant(wanted: readonly WantedUser[]): Promise<Row<User>[]> {
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

  /** The user with this name, whatever its case. */
  userNamed(username: string): Promise<Row<User> | undefined> {
    return rows(this.db.manager, User).whereEqualsIgnoreCase('username', username).getOne();
  }

  /** Those of the users with these ids who exist. */
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
  }: NewApplication): Promise<{ application: Row<Application>; consumer: KeyAndSecret }> {
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
      const row: Row<Application> = { ...newRow(this.clock.now(), newNumber), ...fields };
      await write(this.db.manager, [insert(Application, [row])]);
      return row;
    });
    await this.callers.invalidate();
    return { application, consumer };
  }

  /** The applications there are, in the order in which they were made; at most 1,000. */
  applications(): Promise<Row<Application>[]> {
    return rows(this.db.manager, Application).orderBy('id').limit(1000).getMany();
  }

  /** Those of the applications with these ids that exist. */
  applicationsOf(ids: string[]): Promise<Row<Application>[]> {
    return rows(this.db.manager, Application).whereIn('id', ids).getMany();
  }

  /** The applications of a user, in the order in which they were made; at most 1,000. */
  applicationsOwnedBy(userId: string): Promise<Row<Application>[]> {
    return rows(this.db.manager, Application).where('ownerId', userId).orderBy('id').limit(1000).getMany();
  }

  application(id: string): Promise<Row<Application> | undefined> {
    return rows(this.db.manager, Application).where('id', id).getOne();
  }

  /** Changes what an application may do and where its flows end; undefined where there is no such application. */
  async updateApplication(id: string, changes: ApplicationChanges): Promise<Row<Application> | undefined> {
    const { name, accessLevel, callbacks, signIn, desktop, adsAccess } = changes;
    const [changed] = await rows(this.db.manager, Application)
      .where('id', id)
      .update({
        name,
        accessLevel,
        callbacks: callbacks && checkedCallbacks(callbacks),
        signIn,
        desktop,
        adsAccess,
        updatedAt: nextAfterStored(this.clock.now().toISOString()),
      });
    await this.callers.invalidate();
    return changed;
  }

  /** The applications that this text may mean, at most two: the one of this id or consumer key, or those of this name. */
  findApplications(text: string): Promise<Row<Application>[]> {
    return rows(this.db.manager, Application)
      .whereAny(
        (called) => called.where('id', text),
        (called) => called.where('consumerKey', text),
        (called) => called.where('name', text),
      )
      .orderBy('id')
      .limit(2)
      .getMany();
  }

  /** New consumer key and secret; what was signed with the old ones is refused from now on. */
  async rotateApplication(id: string): Promise<KeyAndSecret | undefined> {
    const consumer = { key: secretText(25), secret: secretText(50) };
    const rotated = await rows(this.db.manager, Application)
      .where('id', id)
      .update({
        consumerKey: consumer.key,
        sealedSecret: this.vault.seal(consumer.secret),
        updatedAt: nextAfterStored(this.clock.now().toISOString()),
      });
    await this.callers.invalidate();
    return rotated.length > 0 ? consumer : undefined;
  }

  /** A pair with which the application acts for the user, made by a command: no flow ever answers it. */
  async issueToken(userId: string, applicationId: string, accessLevel: AccessLevel): Promise<KeyAndSecret> {
    return retrying(async () => {
      const { pair, token } = this.newToken(userId, applicationId, accessLevel, 'command');
      await write(this.db.manager, [insert(AccessToken, [token])]);
      return pair;
    });
  }

  /**
   * The pair of the flows of this user, application and level: the one they have, or a new one. Two flows that end at the
   * same moment get the same, since the table holds only one of them.
   */
  async flowToken(
    tx: EntityManager,
    userId: string,
    applicationId: string,
    accessLevel: AccessLevel,
  ): Promise<KeyAndSecret> {
    for (;;) {
      const { token } = this.newToken(userId, applicationId, accessLevel, 'flow');
      await write(tx, [insertOrIgnore(AccessToken, [token])]);
      const found = await rows(tx, AccessToken)
        .where('userId', userId)
        .where('applicationId', applicationId)
        .where('accessLevel', accessLevel)
        .where('source', 'flow')
        .where('revokedAt', null)
        .getOne();
      // Revoked between the two statements, or its id was taken: the next turn makes another.
      if (found) return { key: this.vault.open(found.sealedToken), secret: this.vault.open(found.sealedSecret) };
    }
  }

  private newToken(
    userId: string,
    applicationId: string,
    accessLevel: AccessLevel,
    source: 'command' | 'flow',
  ): { pair: KeyAndSecret; token: Row<AccessToken> } {
    const now = this.clock.now();
    const pair = { key: accessTokenText(userId), secret: secretText(45) };
    const token: Row<AccessToken> = {
      id: newId(now),
      lookup: this.vault.lookup(pair.key),
      sealedToken: this.vault.seal(pair.key),
      sealedSecret: this.vault.seal(pair.secret),
      userId,
      applicationId,
      accessLevel,
      source,
      createdAt: now.toISOString(),
      revokedAt: null,
    };
    return { pair, token };
  }

  /** The access tokens of a user, of an application, of both, or all; ended ones where they are asked for. */
  async newestTokens({
    userId,
    applicationId,
    revokedToo = false,
    ...wanted
  }: Newest & { userId?: string; applicationId?: string; revokedToo?: boolean }): Promise<KnownToken[]> {
    const tokens = rows(this.db.manager, AccessToken);
    if (userId !== undefined) tokens.where('userId', userId);
    if (applicationId !== undefined) tokens.where('applicationId', applicationId);
    if (!revokedToo) tokens.where('revokedAt', null);
    return (await newest(tokens, wanted)).map((each) => this.known(each));
  }

  /** The access token of this text or id, ended or not. */
  async accessToken(keyOrId: string): Promise<KnownToken | undefined> {
    const found = await rows(this.db.manager, AccessToken)
      .whereAny(
        (tokens) => tokens.where('id', keyOrId),
        (tokens) => tokens.whereIn('lookup', this.vault.lookups(keyOrId)),
      )
      .getOne();
    return found && this.known(found);
  }

  private known({
    id,
    sealedToken,
    userId,
    applicationId,
    accessLevel,
    source,
    createdAt,
    revokedAt,
  }: Row<AccessToken>) {
    const key = this.vault.open(sealedToken);
    return { id, key, userId, applicationId, accessLevel, source, createdAt, revokedAt };
  }

  /** Ends a token for good, and tells its application; false when there is none that is valid. */
  revokeToken(key: string): Promise<boolean> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
        const now = this.clock.now();
        const ended = await rows(tx, AccessToken)
          .whereIn('lookup', this.vault.lookups(key))
          .where('revokedAt', null)
          .update({ revokedAt: now.toISOString() });
        await write(
          tx,
          ended.map((token) => tokenRevoked(token, now)),
        );
        await this.callers.invalidate(tx);
        return ended.length > 0;
      }),
    );
  }
}
