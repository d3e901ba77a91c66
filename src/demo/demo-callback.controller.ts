import { Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageController } from '../auth/pages/page.guard.js';
import { Pages } from '../auth/pages/pages.js';
import { pageNotFound } from '../common/errors/catalogue.js';
import { Config } from '../config/config.js';
import { demoCallbackUrl } from './credentials-file.js';

const MAX_FIELDS = 10;
const MAX_VALUE_LENGTH = 200;
/** The characters of a verifier. Anything else is rejected, because people paste the line into a shell. */
const VERIFIER = /^[\w-]{1,200}$/;

/** The callback page of the demo application. It shows newcomers what a client receives. */
@PageController('demo')
export class DemoCallbackController {
  constructor(
    private readonly config: Config,
    private readonly pages: Pages,
  ) {}

  @Get('callback')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    if (this.config.production) throw pageNotFound();
    const query = request.query as Record<string, string | string[]>;
    const fields = Object.entries(query)
      .slice(0, MAX_FIELDS)
      .map(([name, value]) => [name.slice(0, MAX_VALUE_LENGTH), [value].flat().join(', ').slice(0, MAX_VALUE_LENGTH)]);
    await this.pages.show(reply, 'outcome', {}, { fields, ...outcomeOf(query, demoCallbackUrl(this.config)) });
  }
}

/** The text of the page: the outcome, the next step and the command for it. */
function outcomeOf(query: Record<string, string | string[]>, callback: string): Record<string, string> {
  if ('denied' in query) return { title: 'The flow was cancelled', text: 'The application receives these parameters:' };
  if (!('oauth_verifier' in query))
    return {
      title: 'The callback of the demo application',
      text: 'Flows of the demo application end on this page. No flow has ended yet.',
      next: 'Get a request token first. Then open /oauth/authorize?oauth_token=... in a browser.',
      command: `npx marquee request POST /oauth/request_token oauth_callback=${callback} --no-token > request-token.txt`,
    };
  const verifier = query.oauth_verifier;
  return {
    title: 'The user approved the application',
    text: 'The application receives these parameters at its callback:',
    next: 'Next, the application signs POST oauth/access_token with the request token, sends the verifier, and receives the access token. This works once, within fifteen minutes.',
    ...(typeof verifier === 'string' &&
      VERIFIER.test(verifier) && {
        command: `npx marquee request POST /oauth/access_token oauth_verifier=${verifier} --token request-token.txt`,
        about: 'request-token.txt contains the response of oauth/request_token: oauth_token=...&oauth_token_secret=...',
      }),
  };
}
