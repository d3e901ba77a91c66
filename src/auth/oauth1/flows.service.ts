import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { retrying } from '../../common/db/query/retry.js';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import type { AccessLevel, Application } from '../credentials/application.entity.js';
import { CallersService } from '../credentials/callers.service.js';
import { CredentialsService } from '../credentials/credentials.service.js';
import { isApproved } from './callbacks.js';
import type { RequestToken } from './request-token.entity.js';
import { RequestTokensService } from './request-tokens.service.js';

/** A flow that waits for the decision of a user. */
export interface Flow {
  /** The request token as the browser sent it. */
  oauthToken: string;
  token: Row<RequestToken>;
  application: Row<Application>;
}

/** An application that can act for a user. */
export interface Connection {
  applicationId: string;
  name: string;
  accessLevel: AccessLevel;
  since: string;
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
    const [known] = await run(this.db.manager, {
      text: `SELECT 1 FROM access_tokens WHERE "userId" = $1 AND "applicationId" = $2 AND source = 'flow' AND "revokedAt" IS NULL
        AND "accessLevel" = ANY($3) LIMIT 1`,
      values: [userId, application.id, token.accessLevel === 'read' ? ['read', 'write'] : ['write']],
    });
    return known !== undefined;
  }

  /** Everything that can act for the user, whoever made it. */
  async connections(userId: string): Promise<Connection[]> {
    return run<Connection>(this.db.manager, {
      text: `SELECT a.id AS "applicationId", a.name, CASE WHEN a."accessLevel" = 'write' THEN max(t."accessLevel") ELSE 'read' END AS "accessLevel",
          min(t."createdAt") AS since
        FROM access_tokens t JOIN applications a ON a.id = t."applicationId"
        WHERE t."userId" = $1 AND t."revokedAt" IS NULL AND a."deletedAt" IS NULL
        GROUP BY a.id ORDER BY lower(a.name), a.id LIMIT 500`,
      values: [userId],
    });
  }

  /** Ends every token with which the application acts for the user, and every flow that could still give one. */
  async disconnect(userId: string, applicationId: string): Promise<void> {
    const values = [userId, applicationId, this.clock.now().toISOString()];
    await retrying(() =>
      this.db.transaction(async (tx) => {
        // First the flows: an exchange that is underway is waited for, and its token then ended with the others.
        await run(tx, {
          text: 'UPDATE request_tokens SET "endedAt" = $3 WHERE "userId" = $1 AND "applicationId" = $2 AND "endedAt" IS NULL',
          values,
        });
        await run(tx, {
          text: 'UPDATE access_tokens SET "revokedAt" = $3 WHERE "userId" = $1 AND "applicationId" = $2 AND "revokedAt" IS NULL',
          values,
        });
        await this.callers.invalidate(tx);
      }),
    );
  }
}
