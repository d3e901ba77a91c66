import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccessTokenQueries } from '../../auth/credentials/access-token.queries.js';
import { CallersService } from '../../auth/credentials/callers.service.js';
import { AS_OF_HEADER } from '../../common/as-of/as-of-hooks.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Clock } from '../../common/time/clock.js';
import { inject, injectionOf, signedBy } from '../inside/injection.js';
import type { Visit } from '../pages/workbench-pages.js';
import type { RequestWithEvents } from './journaled-request.presenter.js';
import { isFormType, pairsOf } from './repeat-commands.js';
import { RESENT_HEADER, unlikelyAgain } from './resend.rules.js';

/** Sends requests of the journal again, signed with a token of the user of a page. */
@Injectable()
export class Resending {
  constructor(
    private readonly tokens: AccessTokenQueries,
    private readonly callers: CallersService,
    private readonly clock: Clock,
  ) {}

  /** Returns the `x-request-id` of the new request. */
  async send(from: FastifyRequest, { session, application }: Visit, found: RequestWithEvents): Promise<string> {
    const why = unlikelyAgain(found);
    if (why !== undefined) throw invalid('request_id', `The request cannot be sent again. ${why}`);
    const [token] = await this.tokens.newest({
      userId: session.user.userId,
      applicationId: application.id,
      limit: 1,
    });
    const caller = token && (await this.callers.find(application.consumerKey, token.key));
    if (!caller || 'unknown' in caller)
      throw invalid('access_token', 'You have no access token of this application: marquee token issue issues one');
    const { request, detail, urlHere } = found;
    const injection = injectionOf(
      {
        method: request.method,
        url: urlHere,
        params: pairsOf(detail.parameters),
        hasForm: isFormType(detail.contentType),
        text: detail.body.text ?? undefined,
        names: detail.names,
        asOf: detail.headers?.[AS_OF_HEADER],
      },
      { address: from.ip, agent: 'marquee-workbench', authorize: signedBy(caller, this.clock.seconds()) },
    );
    const id = randomUUID();
    const headers = { ...injection.headers, [RESENT_HEADER]: request.id, 'x-request-id': id };
    await inject(from.server, { ...injection, headers });
    return id;
  }
}
