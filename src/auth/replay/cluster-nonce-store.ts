import { hash } from 'node:crypto';
import { inBackground } from '../../common/concurrency/background.js';
import { countInRedis, groupOfWindow, refundInRedis } from '../limits/redis-windows.js';
import type { WindowUsage, RateWindow } from '../limits/windows.js';
import { groupOf, groupPrefix, KEY_GROUPS } from '../../common/redis/key-groups.js';
import type { RedisLink } from '../../common/redis/redis.js';
import type { Clock } from '../../common/time/clock.js';
import type { NonceAnswer, NonceStore, NonceAttempt } from './nonce-store.js';
import { RedisNonceStore } from './redis-nonce-store.js';

/** The generations of all groups, and the name of all of them together. */
interface Generations {
  name: string;
  ofGroups: string[];
}

/**
 * Nonces in a Redis Cluster. Its keys are in groups, of which each is on one node and has a generation of its own: a node
 * loses only its own nonces. The generation of the store is that of all groups, so that the loss of any ends it.
 */
export class ClusterNonceStore implements NonceStore {
  private readonly groups: RedisNonceStore[];
  private known: Generations = { name: '', ofGroups: [] };
  private reading?: Promise<Generations>;

  constructor(
    private readonly link: RedisLink,
    private readonly prefix: string,
    private readonly clock: Pick<Clock, 'ms'>,
  ) {
    this.groups = Array.from(
      { length: KEY_GROUPS },
      (_, group) => new RedisNonceStore(link, groupPrefix(prefix, group), clock),
    );
  }

  async generation(): Promise<string> {
    return (await this.readGenerations()).name;
  }

  /** In one round trip: a window in another group than the nonce is counted at the same time, and refunded if need be. */
  async take(attempt: NonceAttempt, generation: string): Promise<NonceAnswer> {
    const { known } = this;
    const { name, ofGroups } = known.name === generation ? known : await this.readGenerations();
    if (name !== generation) return { verdict: 'lost', generation: name };
    const group = groupOf(attempt.home);
    const [near, far] = split(attempt.windows, (window) => groupOfWindow(window) === group);
    const counting = this.count(far);
    let answer: NonceAnswer | undefined;
    try {
      answer = await this.groups[group].take({ ...attempt, windows: near }, ofGroups[group]);
    } finally {
      if (answer?.verdict !== 'fresh')
        inBackground(
          counting.then((usages) => this.refund(far, usages)),
          'refunding a rate limit',
        );
    }
    if (answer.verdict === 'lost') return { verdict: 'lost', generation: await this.nameAfter(ofGroups[group], group) };
    if (answer.verdict !== 'fresh') return answer;
    const counted = await counting;
    const usages = counted && inOrder(attempt.windows, [...near, ...far], [...answer.usages!, ...counted]);
    return { verdict: 'fresh', ...(usages && { usages }) };
  }

  /** Never: a node that was replaced serves until it hears of it. */
  isFenced(): boolean {
    return false;
  }

  /** Asks all groups at the same time. */
  private readGenerations(): Promise<Generations> {
    this.reading ??= Promise.all(this.groups.map((group) => group.generation()))
      .then((ofGroups) => (this.known = { name: hash('sha256', ofGroups.join()).slice(0, 32), ofGroups }))
      .finally(() => (this.reading = undefined));
    return this.reading;
  }

  /** The name of the generation after a group has lost this one. */
  private async nameAfter(lost: string, group: number): Promise<string> {
    const current = await this.readGenerations();
    // that look may have begun before the loss
    return current.ofGroups[group] === lost ? this.generation() : current.name;
  }

  /** The usages, or undefined if not all windows could be counted. */
  private async count(windows: RateWindow[]): Promise<WindowUsage[] | undefined> {
    if (windows.length === 0) return [];
    return countInRedis(this.link, this.prefix, windows, this.clock.ms()).catch(() => undefined);
  }

  private async refund(windows: RateWindow[], usages: WindowUsage[] = []): Promise<void> {
    const refunds = usages.map((usage, i) => refundInRedis(this.link, this.prefix, windows[i], usage));
    await Promise.allSettled(refunds);
  }
}

/** The items that are such, and the others. */
function split<T>(items: T[], isSuch: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isSuch), items.filter((item) => !isSuch(item))];
}

/** Usages in the order of `windows`; they were counted in another one. */
const inOrder = (windows: RateWindow[], counted: RateWindow[], usages: WindowUsage[]): WindowUsage[] =>
  windows.map((window) => usages[counted.indexOf(window)]);
