import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { AccessToken } from '../credentials/access-token.entity.js';
import type { Application } from '../credentials/application.entity.js';
import { User } from '../credentials/user.entity.js';
import { ApplicationQueries } from '../credentials/application.queries.js';
import { CallersService } from '../credentials/callers.service.js';
import { storeTokensRevoked } from '../credentials/token-revoked.event.js';
import { GrantsService } from '../grants/grants.service.js';
import { isApproved } from '../credentials/callbacks.js';
import { connectionsOf, type Connection } from './connections.statements.js';
import { RequestToken } from './request-token.entity.js';
import { RequestTokensService } from './request-tokens.service.js';

/** An authorization flow that waits for the user's decision. */
export interface Flow {
  /** The request token as the browser sent it. */
  oauthToken: string;
  token: RequestToken;
  application: Application;
}

/** The decisions of users about applications. */
@Injectable()
export class FlowsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly requestTokens: RequestTokensService,
    private readonly applications: ApplicationQueries,
    private readonly callers: CallersService,
    private readonly grants: GrantsService,
  ) {}

  /** The flow of a request token, while a user can still decide about it. */
  async find(oauthToken: string): Promise<Flow | undefined> {
    const token = await this.requestTokens.find(oauthToken);
    const application = token && (await this.applications.findById(token.applicationId));
    if (!application) return undefined;
    // The application has removed this callback since, so no user is sent there.
    if (token.callback !== null && !isApproved(token.callback, application.callbacks)) return undefined;
    return { oauthToken, token, application };
  }

  /** True if the user has approved this access level for the application before, and not revoked it. */
  async isApprovedBefore({ token, application }: Flow, userId: string): Promise<boolean> {
    return this.db.manager.existsBy(AccessToken, {
      userId,
      applicationId: application.id,
      source: 'flow',
      revokedAt: IsNull(),
      accessLevel: token.accessLevel === 'read' ? In(['read', 'write']) : 'write',
    });
  }

  /** The owner of an application; null where the user is deleted. */
  ownerOf({ ownerId }: Application): Promise<User | null> {
    return this.db.manager.findOneBy(User, { id: ownerId });
  }

  /** All applications that can act for the user, and those approved whose request token is not exchanged yet. */
  connections(userId: string): Promise<Connection[]> {
    return connectionsOf(this.db.manager, { userId, now: this.clock.now().toISOString() });
  }

  /** The connection of one application; undefined where it cannot act for the user. */
  async connection(userId: string, applicationId: string): Promise<Connection | undefined> {
    const now = this.clock.now().toISOString();
    return (await connectionsOf(this.db.manager, { userId, now, applicationId }))[0];
  }

  /** Revokes all tokens with which the application acts for the user and ends its open flows. Sends one event. */
  async disconnect(userId: string, applicationId: string): Promise<void> {
    const now = this.clock.now();
    await retrying(() =>
      this.db.transaction(async (tx) => {
        // Request tokens first: this waits for an exchange that is underway, whose access token is then revoked too.
        await tx.update(RequestToken, { userId, applicationId, endedAt: IsNull() }, { endedAt: now });
        const revoked = await tx.update(
          AccessToken,
          { userId, applicationId, revokedAt: IsNull() },
          { revokedAt: now },
        );
        const grants = await this.grants.revoke(tx, { userId, applicationId });
        if (revoked.affected && grants.length === 0) await storeTokensRevoked(tx, [{ userId, applicationId }], now);
        await this.callers.invalidate(tx);
      }),
    );
  }
}
