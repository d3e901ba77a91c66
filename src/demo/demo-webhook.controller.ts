import { text } from 'node:stream/consumers';
import { Controller, Get, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Pages } from '../auth/pages/pages.js';
import { badRequestData, couldNotAuthenticate, pageNotFound } from '../common/errors/catalogue.js';
import { StreamBody, TakesStream, type StreamedBody } from '../common/http/bodies/takes-body.js';
import { Config } from '../config/config.js';
import { signatureHeader } from '../webhooks/deliveries/signatures.js';
import { DemoReceiver } from './demo-webhooks.js';

/** Larger than any event. */
const MAX_BODY_BYTES = 256 * 1024;
const MAX_TOKEN_LENGTH = 500;

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
        fields: latest.map(({ received_at, event }) => [received_at, JSON.stringify(event)]),
        next: 'GET /demo/webhook/events shows them as JSON.',
      },
    );
  }

  private refuseInProduction(): void {
    if (this.config.production) throw pageNotFound();
  }
}
