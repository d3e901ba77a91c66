import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../common/time/clock.js';
import { nextAfterStored } from '../common/db/query/computed.js';
import { retrying } from '../common/db/query/retry.js';
import { rows } from '../common/db/query/rows.js';
import { AccessToken } from './credentials/access-token.entity.js';
import { Application } from './credentials/application.entity.js';
import { CallersService } from './credentials/callers.service.js';
import { storeTokensRevoked } from './credentials/token-revoked.event.js';
import { secretText } from './credentials/tokens.js';
import { User } from './credentials/user.entity.js';
import { Vault } from './credentials/vault.js';
import { GrantsService } from './grants/grants.service.js';
import { RequestToken } from './oauth1/request-token.entity.js';
import { BearersService } from './bearers/bearers.service.js';
import { Session } from './sessions/session.entity.js';

/** Tokens that one statement ends. */
const BATCH = 5_000;

/** The tokens that ended with an application. */
export interface EndedTokens {
  accessTokens: number;
  bearerTokens: number;
  /** Of OAuth 2.0. */
  grants: number;
}

/** Suspends users and deletes applications, for the command line. Every replica applies it at once. */
@Injectable()
export class RemovalService {
  constructor(
    private readonly db: DataSource,
    private readonly vault: Vault,
    private readonly callers: CallersService,
    private readonly bearers: BearersService,
    private readonly grants: GrantsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses the user's requests and sign-ins until `restoreUser`, and ends their sessions and the sign-in flows they approved.
   * Returns how many sessions ended; undefined where there is no such user, or they are suspended.
   */
  suspendUser(id: string): Promise<number | undefined> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
        const now = this.clock.now().toISOString();
        const [suspended] = await rows(tx, User)
          .where('id', id)
          .where('suspendedAt', null)
          .update({ suspendedAt: now, updatedAt: nextAfterStored(now) });
        if (!suspended) return undefined;
        await rows(tx, RequestToken).where('userId', id).where('endedAt', null).update({ endedAt: now });
        const sessions = await rows(tx, Session).where('userId', id).delete();
        await this.callers.invalidate(tx);
        return sessions;
      }),
    );
  }

  /** Ends a suspension: the user's tokens are valid again. False where there is no such user, or they are not suspended. */
  restoreUser(id: string): Promise<boolean> {
    return retrying(() =>
      this.db.transaction(async (tx) => {
        const now = this.clock.now().toISOString();
        const user = await rows(tx, User).where('id', id).setLock('for_no_key_update').getOne();
        if (!user || user.suspendedAt === null) return false;
        await rows(tx, User)
          .where('id', id)
          .update({ suspendedAt: null, updatedAt: nextAfterStored(now) });
        await this.callers.invalidate(tx);
        return true;
      }),
    );
  }

  /**
   * Deletes an application: ends its access, bearer and request tokens and its grants, and overwrites its consumer secret. The row with its
   * name stays, marked deleted, since history names it. Returns what ended; undefined where there is no such application.
   */
  deleteApplication({ id }: { id: string }, db = this.db.manager): Promise<EndedTokens | undefined> {
    return retrying(() =>
      db.transaction(async (tx) => {
        const now = this.clock.now();
        const time = now.toISOString();
        const [deleted] = await rows(tx, Application)
          .where('id', id)
          .update({
            deletedAt: time,
            updatedAt: nextAfterStored(time),
            consumerKey: secretText(25),
            sealedSecret: this.vault.seal(secretText(50)),
            callbacks: [],
            clientId: null,
            clientType: null,
            clientSecretHash: null,
            clientScopes: [],
          });
        if (!deleted) return undefined;
        // request tokens first: this waits for an exchange that is in progress, whose access token then ends too
        await rows(tx, RequestToken).where('applicationId', id).where('endedAt', null).update({ endedAt: time });
        const accessTokens = await this.endTokens(tx, id, now);
        const grants = await this.grants.revokeAll(tx, { applicationId: id });
        const bearerTokens = await this.bearers.revokeAll(tx, id);
        await this.callers.invalidate(tx);
        return { accessTokens, bearerTokens, grants };
      }),
    );
  }

  /** Ends the tokens of an application, of which there may be more than one statement has time for. Returns their number. */
  private async endTokens(tx: EntityManager, applicationId: string, now: Date): Promise<number> {
    let ended = 0;
    for (;;) {
      const live = await rows(tx, AccessToken)
        .where('applicationId', applicationId)
        .where('revokedAt', null)
        .limit(BATCH)
        .getMany();
      if (live.length === 0) return ended;
      const ids = live.map(({ id }) => id);
      const revoked = await rows(tx, AccessToken)
        .whereIn('id', ids)
        .where('revokedAt', null)
        .update({ revokedAt: now.toISOString() });
      await storeTokensRevoked(tx, revoked, now);
      ended += revoked.length;
    }
  }
}
