import { text } from 'node:stream/consumers';
import { Controller, Get, Header, Headers, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageController } from '../auth/pages/page.guard.js';
import { PageAssets, Pages } from '../auth/pages/pages.js';
import { badRequestData, couldNotAuthenticate, pageNotFound } from '../common/errors/catalogue.js';
import { StreamBody, TakesStream, type StreamedBody } from '../common/http/bodies/takes-body.js';
import { Config } from '../config/config.js';
import { signatureHeader } from '../webhooks/deliveries/signatures.js';
import { demoFeed } from './demo-catalogs.js';
import { demoCallbackUrl } from './credentials-file.js';
import { DemoReceiver } from './demo-webhooks.js';

/** Larger than any event. */
const MAX_BODY_BYTES = 256 * 1024;
const MAX_TOKEN_LENGTH = 500;

/** Lines of events are longer than those of other pages. */
const WIDE = new PageAssets('header, main, footer { max-width: 56rem; }\nmain h2 { margin-top: 1.25rem; }', '');

/** The URL of the demo application's webhook. It shows newcomers what an integrator receives. */
@ApiExcludeController()
@Controller('demo/webhook')
export class DemoWebhookController {
  constructor(
    private readonly config: Config,
    private readonly pages: Pages,
    private readonly receiver: DemoReceiver,
  ) {}

  /** Answers a challenge. Without one, shows the received events. */
  @Get()
  async challenge(@Query('crc_token') token: unknown, @Res() reply: FastifyReply) {
    this.refuseInProduction();
    if (token === undefined) return this.show(reply);
    if (typeof token !== 'string' || token === '' || token.length > MAX_TOKEN_LENGTH)
      throw badRequestData(`crc_token must have 1 to ${MAX_TOKEN_LENGTH} characters`);
    const answer = await this.receiver.answer(token);
    if (!answer) throw pageNotFound();
    await reply.send(answer);
  }

  /** The last hundred events as JSON. */
  @Get('events')
  events() {
    this.refuseInProduction();
    const data = this.receiver.latest();
    return { data, meta: { result_count: data.length } };
  }

  /** Receives an event. */
  @Post()
  @HttpCode(200)
  @TakesStream({ limit: MAX_BODY_BYTES, types: ['application/json'] })
  async take(@StreamBody() { content }: StreamedBody, @Headers() headers: Record<string, string | undefined>) {
    this.refuseInProduction();
    const header = signatureHeader(this.config.names);
    if (!(await this.receiver.take(await text(content), headers[header])))
      throw couldNotAuthenticate(`${header} does not match the body`);
    return {};
  }

  private async show(reply: FastifyReply): Promise<void> {
    const latest = this.receiver.latest();
    await this.pages.show(
      reply,
      'outcome',
      {},
      {
        title: 'The webhook of the demo application',
        text: latest.length > 0 ? 'The last events that it received, newest first:' : 'It has received no events yet.',
        fields: [],
        texts: latest.map(({ received_at, event }) => [
          `${received_at.slice(0, 19).replace('T', ' ')} UTC`,
          JSON.stringify(event, null, 2),
        ]),
        ...(latest.length > 0
          ? { link: { path: 'webhook/events', text: 'The events as JSON' } }
          : { command: 'npx marquee webhook trigger campaign.create' }),
      },
      { assets: WIDE },
    );
  }

  private refuseInProduction(): void {
    if (this.config.production) throw pageNotFound();
  }
}

/** The file of the demo's scheduled feed. */
@ApiExcludeController()
@Controller('demo/products.csv')
export class DemoFeedController {
  constructor(private readonly config: Config) {}

  @Get()
  @Header('content-type', 'text/csv; charset=utf-8')
  show(): string {
    if (this.config.production) throw pageNotFound();
    return demoFeed();
  }
}

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
