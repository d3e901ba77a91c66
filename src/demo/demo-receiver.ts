import { Injectable } from '@nestjs/common';
import { ConsumersService } from '../auth/credentials/consumers.service.js';
import { Clock } from '../common/clock.js';
import { Config } from '../config/config.js';
import { hmacOf } from '../webhooks/endpoints/challenge.js';
import { readDemoCredentials } from './credentials-file.js';

const MAX_KEPT = 100;

/** An event that the demo receiver accepted. */
export interface ReceivedEvent {
  received_at: string;
  event: object;
}

/** The response to a challenge. */
export const answerToChallenge = (consumerSecret: string, crcToken: string) => ({
  response_token: hmacOf(consumerSecret, crcToken),
});

/**
 * The receiver of the demo's webhook, as an integrator would write it. It answers challenges and accepts signed events.
 */
@Injectable()
export class DemoReceiver {
  private events: ReceivedEvent[] = [];

  constructor(
    private readonly config: Config,
    private readonly consumers: ConsumersService,
    private readonly clock: Clock,
  ) {}

  /** The response to a challenge; undefined if there is no demo. */
  async answer(crcToken: string): Promise<{ response_token: string } | undefined> {
    const secret = await this.secret();
    return secret === undefined ? undefined : answerToChallenge(secret, crcToken);
  }

  /** Stores an event with a valid signature. Returns false for any other. */
  async take(body: string, signature: string | undefined): Promise<boolean> {
    const secret = await this.secret();
    if (secret === undefined || signature !== hmacOf(secret, body)) return false;
    const received = { received_at: this.clock.now().toISOString(), event: JSON.parse(body) as object };
    this.events = [received, ...this.events].slice(0, MAX_KEPT);
    return true;
  }

  /** The last hundred events since the process started, newest first. */
  latest(): readonly ReceivedEvent[] {
    return this.events;
  }

  private async secret(): Promise<string | undefined> {
    const demo = readDemoCredentials(this.config.dataDir);
    return demo && (await this.consumers.find(demo.consumer_key))?.secret;
  }
}
