import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { write } from '../../common/db/query/write.js';
import { AccessToken } from '../credentials/access-token.entity.js';
import type { Application } from '../credentials/application.entity.js';
import type { User } from '../credentials/user.entity.js';
import { CallersService } from '../credentials/callers.service.js';
import { CredentialsService } from '../credentials/credentials.service.js';
import { tokenRevoked } from '../credentials/token-revoked.event.js';
import { isApproved } from '../credentials/callbacks.js';
import { connectionsOf, type Connection } from './connections.statements.js';
import { RequestToken } from './request-token.entity.js';
import { RequestTokensService } from './request-tokens.service.js';

/** A flow that waits for the decision of a user. */
export interface Flow {
  /** The request token as the browser sent it. */
  oauthToken: string;
  token: Row<RequestToken>;
  application: Row<Application>;
}

/** What users decide about applications. */
@Injectable()
export class FlowsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly requestTokens: RequestTokensService,
    private readonly credentials: CredentialsService,
    private readonly callers: CallersService,
  ) {}

  /** The flow of a request token, while a user can still decide about it. */
  async find(oauthToken: string): Promise<Flow | undefined> {
    const token = await this.requestTokens.find(oauthToken);
    const application = token && (await this.credentials.application(token.applicationId));
    if (!application) return undefined;
    // The application has withdrawn this callback since: no user is sent there any more.
    if (token.callback !== null && !isApproved(token.callback, application.callbacks)) return undefined;
    return { oauthToken, token, application };
  }

  /** Whether the user has let this application do as much before, and has not taken it back. */
  async isApprovedBefore({ token, application }: Flow, userId: string): Promise<boolean> {
    return rows(this.db.manager, AccessToken)
      .where('userId', userId)
      .where('applicationId', application.id)
      .where('source', 'flow')
      .where('revokedAt', null)
      .whereIn('accessLevel', token.accessLevel === 'read' ? ['read', 'write'] : ['write'])
      .getExists();
  }

  /** Who answers for an application; undefined where they are gone. */
  async ownerOf({ ownerId }: Row<Application>): Promise<Row<User> | undefined> {
    return (await this.credentials.users([ownerId]))[0];
  }

  /** Everything that can act for the user, whoever made it, and what they approved that was not picked up yet. */
  connections(userId: string): Promise<Connection[]> {
    return connectionsOf(this.db.manager, { userId, now: this.clock.now().toISOString() });
  }

  /** What one application can do for the user; undefined where that is nothing. */
  async connection(userId: string, applicationId: string): Promise<Connection | undefined> {
    const now = this.clock.now().toISOString();
    return (await connectionsOf(this.db.manager, { userId, now, applicationId }))[0];
  }

  /** Ends every token with which the application acts for the user, and every flow that could still give one; tells it once. */
  async disconnect(userId: string, applicationId: string): Promise<void> {
    const at = this.clock.now();
    const now = at.toISOString();
    await retrying(() =>
      this.db.transaction(async (tx) => {
        // First the flows: an exchange that is underway is waited for, and its token then ended with the others.
        await rows(tx, RequestToken)
          .where('userId', userId)
          .where('applicationId', applicationId)
          .where('endedAt', null)
          .update({ endedAt: now });
        const ended = await rows(tx, AccessToken)
          .where('userId', userId)
          .where('applicationId', applicationId)
          .where('revokedAt', null)
          .update({ revokedAt: now });
        if (ended.length > 0) await write(tx, [tokenRevoked({ userId, applicationId }, at)]);
        await this.callers.invalidate(tx);
      }),
    );
  }
}
