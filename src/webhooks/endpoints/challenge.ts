import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ConsumersService } from '../../auth/credentials/consumers.service.js';
import { MistakenKeys } from '../../auth/credentials/mistaken-keys.service.js';
import type { Row } from '../../common/db/query/rows.js';
import { WebhookClient, type Answer } from '../client/webhook-client.js';
import type { Webhook } from '../entities/webhook.entity.js';
import { aboutWrongToken } from './challenge.rules.js';

/** The result of a challenge. */
export interface ChallengeResult {
  passed: boolean;
  /** Why the challenge failed, as a sentence for the webhook's owner; empty if it passed. */
  reason: string;
  /** The challenge failed and a retry would fail too: wrong response, redirect or TLS error. */
  isFinal: boolean;
}

/** Sends the challenge: over the network, as `WebhookClient` does, unless the receiver is in this process. */
export type GetClient = Pick<WebhookClient, 'get'>;

/** The HMAC-SHA256 of a text, used in challenge responses and delivery signatures. */
export const hmacOf = (consumerSecret: string, text: string): string =>
  `sha256=${createHmac('sha256', consumerSecret).update(text).digest('base64')}`;

/** Checks that webhooks know the secret of their application: the challenge-response check (CRC). */
@Injectable()
export class Challenges {
  constructor(
    private readonly client: WebhookClient,
    private readonly consumers: ConsumersService,
    private readonly keys: MistakenKeys,
  ) {}

  /** Takes up to 10 seconds, so never call it inside a transaction. */
  async ask(
    { applicationId, url }: Pick<Row<Webhook>, 'applicationId' | 'url'>,
    by: GetClient = this.client,
  ): Promise<ChallengeResult> {
    const consumer = await this.consumers.withId(applicationId);
    if (!consumer) return failed('The application no longer exists.', true);
    const [token, nonce] = [randomBytes(32).toString('base64url'), randomBytes(16).toString('base64url')];
    const answer = await by.get(`${url}${url.includes('?') ? '&' : '?'}crc_token=${token}&nonce=${nonce}`);
    const outcome = outcomeOf(answer, hmacOf(consumer.secret, token));
    if (outcome.wrongToken === undefined) return outcome;
    const secrets = [{ text: consumer.secret }, ...(await this.keys.inPlaceOfSecret(applicationId))];
    return failed(aboutWrongToken(outcome.wrongToken, { token, nonce }, secrets), true);
  }
}

const failed = (reason: string, isFinal: boolean): ChallengeResult => ({ passed: false, reason, isFinal });

function outcomeOf(answer: Answer, expected: string): ChallengeResult & { wrongToken?: string } {
  if (answer.error !== undefined) return failed(answer.error, answer.fatal !== undefined);
  if (answer.status !== 200) return failed(`The response had status ${answer.status} instead of 200.`, true);
  const given = tokenIn(answer.body);
  if (given === undefined) return failed('The response was not a JSON object with a response_token.', true);
  if (given !== expected) return { ...failed('', true), wrongToken: given };
  return { passed: true, reason: '', isFinal: false };
}

function tokenIn(body: string): string | undefined {
  try {
    const { response_token: token } = (JSON.parse(body) ?? {}) as { response_token?: unknown };
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}
