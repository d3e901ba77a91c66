import { Injectable } from '@nestjs/common';
import { ConsumersService } from '../../auth/credentials/consumers.service.js';
import { RequestTokensService } from '../../auth/oauth1/request-tokens.service.js';
import { BearersService } from '../../auth/bearers/bearers.service.js';
import { pageNotFound } from '../../common/errors/catalogue.js';
import type { DemoCredentials } from '../../demo/credentials-file.js';

/** The credentials a developer holds in the middle of a flow. Each works once. */
export interface Handout {
  /** A request token that the demo's user approved. */
  request_token: string;
  request_token_secret: string;
  /** The PIN that the user received. */
  oauth_verifier: string;
  /** The bearer token of the demo's application. */
  bearer_token: string;
}

/** Starts flows on behalf of the page, so that the requests that complete a flow can be tried like all others. */
@Injectable()
export class DemoHandout {
  constructor(
    private readonly consumers: ConsumersService,
    private readonly requestTokens: RequestTokensService,
    private readonly bearers: BearersService,
  ) {}

  /** Starts an authorization flow of the demo's application and approves it; 404 when the application is deleted. */
  async make({ consumer_key, user_id }: DemoCredentials): Promise<Handout> {
    const application = await this.consumers.find(consumer_key);
    if (!application) throw pageNotFound();
    const [{ key, secret }, bearer] = await Promise.all([
      this.requestTokens.issue(application.id, null, application.accessLevel),
      this.bearers.issue(application.id),
    ]);
    const token = await this.requestTokens.find(key);
    const verifier = token && (await this.requestTokens.approve(token.id, user_id));
    if (!verifier) throw pageNotFound();
    return { request_token: key, request_token_secret: secret, oauth_verifier: verifier, bearer_token: bearer };
  }
}
