import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/query/sqlstate.js';
import { run } from '../../common/db/query/statement.js';
import { insert, write } from '../../common/db/query/write.js';
import { newId, newNumber } from '../../common/entity/ids.js';
import { AccessToken } from './access-token.entity.js';
import { checkedCallbacks } from '../oauth1/callbacks.js';
import { Application, type AccessLevel } from './application.entity.js';
import { CallersService } from './callers.service.js';
import { Passwords } from './passwords.js';
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
    const now = this.clock.now();
    const time = now.toISOString();
    const passwordHash = password === undefined ? null : await this.passwords.hash(password);
    const user: Row<User> = {
      id: newNumber(now),
      username,
      name,
      passwordHash,
      suspendedAt: null,
      createdAt: time,
      updatedAt: time,
      deletedAt: null,
    };
    try {
      await write(this.db.manager, [insert(User, [user])]);
    } catch (error) {
      if (sqlStateOf(error).constraint === 'users_username')
        throw new UsernameTaken(`the username ${username} is taken`);
      throw error;
    }
    return user;
  }

  /** The user with this name, whatever its case. */
  async userNamed(username: string): Promise<Row<User> | undefined> {
    const [user] = await run<Row<User>>(
      this.db.manager,
      rows(this.db.manager, User).where`lower(r.username) = lower(${username})`.statement(),
    );
    return user;
  }

  /** Those of the users with these ids who exist. */
  async users(ids: string[]): Promise<Row<User>[]> {
    return run<Row<User>>(this.db.manager, rows(this.db.manager, User).where`r.id = ANY(${ids})`.statement(), {
      large: true,
    });
  }

  async createApplication({
    name,
    ownerId,
    accessLevel = 'write',
    callbacks = [],
    signIn = false,
    desktop = false,
  }: NewApplication): Promise<{ application: Row<Application>; consumer: KeyAndSecret }> {
    const now = this.clock.now();
    const time = now.toISOString();
    const consumer = { key: secretText(25), secret: secretText(50) };
    const application: Row<Application> = {
      id: newNumber(now),
      name,
      ownerId,
      consumerKey: consumer.key,
      sealedSecret: this.vault.seal(consumer.secret),
      accessLevel,
      callbacks: checkedCallbacks(callbacks),
      signIn,
      desktop,
      adsAccess: true,
      createdAt: time,
      updatedAt: time,
      deletedAt: null,
    };
    await write(this.db.manager, [insert(Application, [application])]);
    await this.callers.invalidate();
    return { application, consumer };
  }

  async applications(): Promise<Row<Application>[]> {
    return run<Row<Application>>(
      this.db.manager,
      rows(this.db.manager, Application).statement(' ORDER BY r.id LIMIT 1000'),
      { large: true },
    );
  }

  async application(id: string): Promise<Row<Application> | undefined> {
    const [application] = await run<Row<Application>>(
      this.db.manager,
      rows(this.db.manager, Application).is('id', id).statement(),
    );
    return application;
  }

  /** Changes what an application may do and where its flows end; undefined where there is no such application. */
  async updateApplication(id: string, changes: ApplicationChanges): Promise<Row<Application> | undefined> {
    const callbacks = changes.callbacks && checkedCallbacks(changes.callbacks);
    const [changed] = await run<{ id: string }>(this.db.manager, {
      text: `UPDATE applications SET name = COALESCE($2, name), "accessLevel" = COALESCE($3, "accessLevel"),
          callbacks = COALESCE($4::varchar[], callbacks), "signIn" = COALESCE($5, "signIn"), desktop = COALESCE($6, desktop),
          "adsAccess" = COALESCE($7, "adsAccess"), "updatedAt" = GREATEST($8::timestamptz, "updatedAt" + interval '1 millisecond')
        WHERE id = $1 AND "deletedAt" IS NULL RETURNING id`,
      values: [
        id,
        changes.name,
        changes.accessLevel,
        callbacks,
        changes.signIn,
        changes.desktop,
        changes.adsAccess,
        this.clock.now().toISOString(),
      ],
    });
    await this.callers.invalidate();
    return changed && this.application(id);
  }

  /** The applications that this text may mean, at most two: the one of this id or consumer key, or those of this name. */
  async findApplications(text: string): Promise<Row<Application>[]> {
    const called = rows(this.db.manager, Application);
    called.where`r.id = ${text} OR r."consumerKey" = ${text} OR r.name = ${text}`;
    return run<Row<Application>>(this.db.manager, called.statement(' ORDER BY r.id LIMIT 2'));
  }

  /** New consumer key and secret; what was signed with the old ones is refused from now on. */
  async rotateApplication(id: string): Promise<KeyAndSecret | undefined> {
    const consumer = { key: secretText(25), secret: secretText(50) };
    const rotated = await run(this.db.manager, {
      text: `UPDATE applications SET "consumerKey" = $2, "sealedSecret" = $3,
          "updatedAt" = GREATEST($4::timestamptz, "updatedAt" + interval '1 millisecond')
        WHERE id = $1 AND "deletedAt" IS NULL RETURNING id`,
      values: [id, consumer.key, this.vault.seal(consumer.secret), this.clock.now().toISOString()],
    });
    await this.callers.invalidate();
    return rotated.length > 0 ? consumer : undefined;
  }

  /** A pair with which the application acts for the user, made by a command: no flow ever answers it. */
  async issueToken(userId: string, applicationId: string, accessLevel: AccessLevel): Promise<KeyAndSecret> {
    const { pair, token } = this.newToken(userId, applicationId, accessLevel, 'command');
    await write(this.db.manager, [insert(AccessToken, [token])]);
    return pair;
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
      await run(tx, {
        text: `INSERT INTO access_tokens (id, lookup, "sealedToken", "sealedSecret", "userId", "applicationId", "accessLevel", source, "createdAt")
          VALUES ($1, $2, $3, $4, $5, $6, $7, 'flow', $8)
          ON CONFLICT ("userId", "applicationId", "accessLevel") WHERE source = 'flow' AND "revokedAt" IS NULL DO NOTHING`,
        values: [
          token.id,
          token.lookup,
          token.sealedToken,
          token.sealedSecret,
          userId,
          applicationId,
          accessLevel,
          token.createdAt,
        ],
      });
      const [found] = await run<Row<AccessToken>>(
        tx,
        rows(tx, AccessToken)
          .is('userId', userId)
          .is('applicationId', applicationId)
          .is('accessLevel', accessLevel)
          .is('source', 'flow')
          .is('revokedAt', null)
          .statement(),
      );
      // Revoked between the two statements: the next turn makes another.
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

  /** Ends a token for good; false when there is none that is valid. */
  async revokeToken(key: string): Promise<boolean> {
    const ended = await run(this.db.manager, {
      text: 'UPDATE access_tokens SET "revokedAt" = $2 WHERE lookup = ANY($1) AND "revokedAt" IS NULL RETURNING id',
      values: [this.vault.lookups(key), this.clock.now().toISOString()],
    });
    await this.callers.invalidate();
    return ended.length > 0;
  }
}
