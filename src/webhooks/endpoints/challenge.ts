import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ConsumersService } from '../../auth/credentials/consumers.service.js';
import type { Row } from '../../common/db/query/rows.js';
import { WebhookClient, type Answer } from '../client/webhook-client.js';
import type { Webhook } from '../entities/webhook.entity.js';

/** What came of a challenge. */
export interface Challenged {
  passed: boolean;
  /** Why it did not pass, as a sentence for whoever owns the webhook; empty where it did. */
  why: string;
  /** It did not, and would not in a moment: the answer was wrong, or leads elsewhere, or TLS failed. */
  isFinal: boolean;
}

/** How a webhook is asked: over the network, as `WebhookClient` does, unless its receiver is in this process. */
export type GetClient = Pick<WebhookClient, 'get'>;

/** The HMAC-SHA256 of a text, as challenges are answered with it and deliveries carry it. */
export const hmacOf = (consumerSecret: string, text: string): string =>
  `sha256=${createHmac('sha256', consumerSecret).update(text).digest('base64')}`;

/** Asks webhooks whether they know the secret of their application: the challenge-response check (CRC). */
@Injectable()
export class Challenges {
  constructor(
    private readonly client: WebhookClient,
    private readonly consumers: ConsumersService,
  ) {}

  /** Takes up to 10 seconds, so never inside a transaction. */
  async ask(
    { applicationId, url }: Pick<Row<Webhook>, 'applicationId' | 'url'>,
    by: GetClient = this.client,
  ): Promise<Challenged> {
    const consumer = await this.consumers.withId(applicationId);
    if (!consumer) return failed('The application is no more.', true);
    const [token, nonce] = [randomBytes(32).toString('base64url'), randomBytes(16).toString('base64url')];
    const answer = await by.get(`${url}${url.includes('?') ? '&' : '?'}crc_token=${token}&nonce=${nonce}`);
    return outcomeOf(answer, hmacOf(consumer.secret, token));
  }
}

const failed = (why: string, isFinal: boolean): Challenged => ({ passed: false, why, isFinal });

function outcomeOf(answer: Answer, expected: string): Challenged {
  if (answer.error !== undefined) return failed(answer.error, answer.fatal !== undefined);
  if (answer.status !== 200) return failed(`The answer had status ${answer.status}, and not 200.`, true);
  const given = tokenIn(answer.body);
  if (given === undefined) return failed('The answer was no JSON object with a response_token.', true);
  if (given !== expected) return failed('The response_token was not the one expected.', true);
  return { passed: true, why: '', isFinal: false };
}

function tokenIn(body: string): string | undefined {
  try {
    const { response_token: token } = (JSON.parse(body) ?? {}) as { response_token?: unknown };
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}
