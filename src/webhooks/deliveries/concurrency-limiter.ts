import { LRUCache } from 'lru-cache';
import { maxEntries } from '../../common/db/cache/shared-cache.js';

/** Initial and maximum number of concurrent requests to a webhook. */
const FIRST = 4;
const MAX_CONCURRENCY = 64;
/** The limiter holds this multiple of a webhook's concurrency limit, so that it rarely needs to fetch more. */
const HELD_FACTOR = 4;
/** The part of all held items that webhooks beyond their initial concurrency have together. */
const SHARE_OF_LARGE = 0.75;
/** A webhook whose responses take longer gets a lower limit. */
const SLOW_MS = 1_000;
/** Maximum number of slow webhooks to remember. */
const MAX_REMEMBERED = 10_000;

/** The result of a request for the limiter. */
export interface AttemptResult {
  answered: boolean;
  ms: number;
}

/**
 * Limits the concurrent requests to each webhook. A quick response raises the limit by one; a slow or missing one
 * halves it. So a hanging webhook soon keeps one slot, and a quick one gets all the slots it can use. An idle webhook
 * starts again from the initial limit unless it was slow.
 */
export class ConcurrencyLimiter<Item> {
  private readonly lanes = new Map<string, Lane<Item>>();
  private readonly slow = new LRUCache<string, number>(maxEntries(MAX_REMEMBERED));
  private held = 0;
  private heldOfSlow = 0;

  constructor(
    /** Maximum number of items held for all webhooks, and for slow ones. */
    private readonly limits: { held: number; heldOfSlow: number },
  ) {}

  /** Number of further items that can be held. */
  get freeSlots(): number {
    return this.limits.held - this.held;
  }

  /** Number of requests under way. */
  get inProgress(): number {
    let inProgress = 0;
    for (const lane of this.lanes.values()) inProgress += lane.inProgress;
    return inProgress;
  }

  /** Number of items that can be held for an unknown webhook. */
  readonly initialSlots = HELD_FACTOR * FIRST;

  /** Number of further items that can be held for webhooks with a different limit. */
  freeSlotsByWebhook(): Map<string, number> {
    const slotsByWebhook = new Map<string, number>();
    for (const [id, { window, inProgress, waiting }] of this.lanes)
      slotsByWebhook.set(id, Math.max(0, heldBy(window) - inProgress - waiting.length));
    const share = (ids: Iterable<string>, room: number) => {
      let remaining = Math.max(room, 0);
      for (const id of ids) {
        const slots = Math.min(slotsByWebhook.get(id) ?? heldBy(this.slow.peek(id)!), remaining);
        slotsByWebhook.set(id, slots);
        remaining -= slots;
      }
    };
    // Some webhooks that were quick and hang now leave room for others.
    const large = [...this.lanes].filter(([, lane]) => isLarge(lane));
    const heldOfLarge = large.reduce((held, [, { inProgress, waiting }]) => held + inProgress + waiting.length, 0);
    share(
      large.map(([id]) => id),
      Math.floor(this.limits.held * SHARE_OF_LARGE) - heldOfLarge,
    );
    // The webhooks with the fewest recent items come first.
    share(this.slow.rkeys(), this.limits.heldOfSlow - this.heldOfSlow);
    return slotsByWebhook;
  }

  /** Holds items for a webhook until each is taken and finished. `more`: the source may have further items. */
  hold(id: string, items: readonly Item[], more: boolean): void {
    const lane = this.lanes.get(id) ?? { window: this.slow.get(id) ?? FIRST, inProgress: 0, waiting: [], more };
    lane.waiting.push(...items);
    lane.more = more;
    this.lanes.set(id, lane);
    this.count(lane, items.length);
  }

  /** The next item for a webhook, if it may have another request under way. */
  take(id: string): Item | undefined {
    const lane = this.lanes.get(id);
    if (!lane || lane.inProgress >= lane.window) return undefined;
    const item = lane.waiting.shift();
    if (item !== undefined) lane.inProgress++;
    return item;
  }

  /**
   * Marks a taken item as finished. Without `result` there is no result for the webhook. Returns whether to fetch more
   * items.
   */
  finish(id: string, result?: AttemptResult): boolean {
    const lane = this.lanes.get(id)!;
    lane.inProgress--;
    this.count(lane, -1);
    if (result) this.resize(id, lane, nextWindow(lane.window, result));
    if (lane.inProgress === 0 && lane.waiting.length === 0) this.lanes.delete(id);
    return (lane.more && lane.waiting.length <= lane.window / 2) || this.freeSlots === 1;
  }

  /** Removes and returns the items that are held but not taken. */
  empty(): Item[] {
    const left: Item[] = [];
    for (const [id, lane] of this.lanes) {
      const waiting = lane.waiting.splice(0);
      this.count(lane, -waiting.length);
      left.push(...waiting);
      if (lane.inProgress === 0) this.lanes.delete(id);
    }
    return left;
  }

  private resize(id: string, lane: Lane<Item>, window: number): void {
    const own = lane.inProgress + lane.waiting.length;
    if (isSlow(lane)) this.heldOfSlow -= own;
    lane.window = window;
    if (isSlow(lane)) this.heldOfSlow += own;
    if (isSlow(lane)) this.slow.set(id, window);
    else this.slow.delete(id);
  }

  private count(lane: Lane<Item>, change: number): void {
    this.held += change;
    if (isSlow(lane)) this.heldOfSlow += change;
  }
}

interface Lane<Item> {
  /** The webhook's limit of concurrent requests. */
  window: number;
  inProgress: number;
  waiting: Item[];
  more: boolean;
}

const nextWindow = (window: number, { answered, ms }: AttemptResult) =>
  answered && ms < SLOW_MS ? Math.min(window + 1, MAX_CONCURRENCY) : Math.max(window >> 1, 1);

const isLarge = ({ window }: { window: number }) => window > FIRST;

const isSlow = ({ window }: { window: number }) => window < FIRST;

/** Held items are ready when a request ends. For a slow webhook none wait. */
const heldBy = (window: number) => (window < FIRST ? window : HELD_FACTOR * window);
