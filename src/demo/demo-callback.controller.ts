import { Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageController } from '../auth/pages/page.guard.js';
import { Pages } from '../auth/pages/pages.js';
import { pageNotFound } from '../common/errors/catalogue.js';
import { Config } from '../config.js';

const MOST_FIELDS = 10;
const LONGEST = 200;

/** Where the flows of the demo application end, so that a newcomer sees what a client is given. */
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
      .slice(0, MOST_FIELDS)
      .map(([name, value]) => [name.slice(0, LONGEST), [value].flat().join(', ').slice(0, LONGEST)]);
    await this.pages.show(reply, 'outcome', {}, { fields, ...outcomeOf(query) });
  }
}

function outcomeOf(query: object) {
  if ('denied' in query)
    return { title: 'The flow was cancelled', text: 'This is what an application learns of it:', next: undefined };
  if ('oauth_verifier' in query)
    return {
      title: 'The flow came back',
      text: 'This is what an application is given at its callback:',
      next: 'It now signs POST oauth/access_token with the request token and sends the verifier along; the answer is the access token. That works once, within fifteen minutes.',
    };
  return {
    title: 'The callback of the demo application',
    text: 'A flow of the demo application ends here. Nothing came back yet.',
    next: undefined,
  };
}
