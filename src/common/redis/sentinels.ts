import { Redis, type RedisOptions } from 'ioredis';
import { inBackground } from '../concurrency/background.js';
import { AnswerTimeouts } from '../concurrency/answer-timeouts.js';
import type { Address, SentinelRedis } from '../../config/redis-url.js';

/** A switch of the primary is noticed within this time. */
const POLL_MS = 500;
const ANSWER_TIMEOUT_MS = 200;
const MAX_RECONNECT_DELAY_MS = 1_000;

/** What a sentinel knows of the primary. Each switch has a greater epoch. */
interface Report extends Address {
  epoch: number;
}

/** A sentinel of the list, and its last answer. */
interface Sentinel {
  client: Redis;
  report?: Report;
  failure?: string;
}

/** What a connection to a server of Redis and one to a sentinel have in common. */
export const tlsOptions = (tls: boolean): Pick<RedisOptions, 'tls'> => (tls ? { tls: {} } : {});

/**
 * Follows the primary that the sentinels name. All of them are asked, twice a second, and the latest switch counts: the
 * first one that answers may not know of it yet. An answer to a question, unlike a notification, cannot be missed.
 */
export class Sentinels {
  private primary?: Report;
  private readonly sentinels: Sentinel[];
  private readonly timeouts = new AnswerTimeouts(ANSWER_TIMEOUT_MS);
  private readonly timer: NodeJS.Timeout;
  private asking?: Promise<void>;

  /** `onSwitch` is called with the first primary and with each other one. */
  constructor(
    private readonly place: SentinelRedis,
    private readonly onSwitch: (primary: Address) => void,
  ) {
    const options: RedisOptions = {
      ...place.sentinelLogin,
      ...tlsOptions(place.tls),
      lazyConnect: true,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      connectTimeout: MAX_RECONNECT_DELAY_MS,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (attempt) => Math.min(50 * attempt, MAX_RECONNECT_DELAY_MS),
    };
    this.sentinels = place.sentinels.map((address) => {
      const sentinel: Sentinel = { client: new Redis({ ...options, ...address }) };
      sentinel.client.on('error', (error: Error) => (sentinel.failure = error.message || String(error)));
      sentinel.client.on('ready', () => inBackground(this.ask(), 'asking sentinels'));
      sentinel.client.connect().catch(() => undefined);
      return sentinel;
    });
    this.timer = setInterval(() => inBackground(this.ask(), 'asking sentinels'), POLL_MS).unref();
  }

  /** Why the primary is unknown; undefined when it is known. */
  get trouble(): string | undefined {
    const { master } = this.place;
    if (this.sentinels.some(({ report }) => report)) return undefined;
    if (this.sentinels.some(({ failure }) => failure?.includes('No such master')))
      return `the sentinels of REDIS_URL do not know a primary with the name "${master}"; correct the name`;
    const failure = this.sentinels.find((sentinel) => sentinel.failure)?.failure;
    return `no sentinel of REDIS_URL answers${failure ? ` (${failure})` : ''}; check their addresses and sentinel_password`;
  }

  /** Asks now, and calls `onSwitch` if there is another primary. */
  async confirm(): Promise<void> {
    // a question that is underway may have been answered before the switch
    await this.asking;
    await this.ask();
  }

  close(): void {
    clearInterval(this.timer);
    for (const { client } of this.sentinels) client.disconnect();
  }

  private ask(): Promise<void> {
    this.asking ??= Promise.all(this.sentinels.map((sentinel) => this.askOne(sentinel)))
      .then(() => this.choose())
      .finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async askOne(sentinel: Sentinel): Promise<void> {
    const { client } = sentinel;
    if (client.status !== 'ready') {
      sentinel.report = undefined;
      return;
    }
    try {
      const answer = await this.timeouts.race(client.call('SENTINEL', 'MASTER', this.place.master));
      sentinel.report = reportOf(answer as string[]);
      sentinel.failure = undefined;
    } catch (error) {
      sentinel.report = undefined;
      sentinel.failure = (error as Error).message;
    }
  }

  private choose(): void {
    const reports = this.sentinels.flatMap(({ report }) => report ?? []);
    if (reports.length === 0) return;
    const latest = reports.reduce((one, other) => (other.epoch > one.epoch ? other : one));
    const agreeing = reports.filter((report) => isSame(report, latest)).length;
    // A lower epoch: sentinels that have not heard of the switch. A majority of them was set up anew.
    const isOlder = this.primary && latest.epoch < this.primary.epoch;
    if (isOlder && agreeing <= this.sentinels.length / 2) return;
    const isNew = !isSame(this.primary, latest);
    this.primary = latest;
    if (isNew) this.onSwitch({ host: latest.host, port: latest.port });
  }
}

const isSame = (one?: Address, other?: Address): boolean => one?.host === other?.host && one?.port === other?.port;

/** Reads the answer, which is a list of names and values in turn. */
function reportOf(answer: string[]): Report {
  const field = (name: string) => answer[answer.indexOf(name) + 1];
  return { host: field('ip'), port: Number(field('port')), epoch: Number(field('config-epoch')) };
}
