import { LRUCache } from 'lru-cache';

/** How many requests a webhook has under way at first, and at most. */
const FIRST = 4;
const MAX_CONCURRENCY = 64;
/** Held for a webhook are so many times as much as may be under way, so that it is seldom looked for more. */
const HELD_FACTOR = 4;
/** Who takes longer to answer gets fewer. */
const SLOW_MS = 1_000;
/** How many slow webhooks are remembered. */
const MAX_REMEMBERED = 10_000;

/** How a webhook fared with a request. */
export interface AttemptResult {
  answered: boolean;
  ms: number;
}

/**
 * How many requests each webhook has under way at a time: one more with each quick answer, half as many with each slow one or
 * none. So a webhook that hangs soon keeps one place, and one that keeps up gets all that there is for it. A webhook that is
 * idle begins anew, unless it was slow.
 */
export class ConcurrencyLimiter<Item> {
  private readonly lanes = new Map<string, Lane<Item>>();
  private readonly slow = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  private held = 0;
  private heldOfSlow = 0;

  constructor(
    /** How much is held at a time, of all webhooks, and of those that are slow. */
    private readonly limits: { held: number; heldOfSlow: number },
  ) {}

  /** How much more can be held. */
  get room(): number {
    return this.limits.held - this.held;
  }

  /** How many requests are under way. */
  get underway(): number {
    let underway = 0;
    for (const lane of this.lanes.values()) underway += lane.underway;
    return underway;
  }

  /** How much more can be held of a webhook of which nothing is known. */
  readonly roomOfOne = HELD_FACTOR * FIRST;

  /** How much more can be held of those webhooks of which it is another number. */
  roomOfOthers(): Map<string, number> {
    const rooms = new Map<string, number>();
    for (const [id, { window, underway, waiting }] of this.lanes)
      rooms.set(id, Math.max(0, heldBy(window) - underway - waiting.length));
    // those that had the least of late come first
    let left = this.limits.heldOfSlow - this.heldOfSlow;
    for (const id of this.slow.rkeys()) {
      const room = Math.min(rooms.get(id) ?? heldBy(this.slow.peek(id)!), Math.max(left, 0));
      rooms.set(id, room);
      left -= room;
    }
    return rooms;
  }

  /** Holds something for a webhook until it is `taken` and `done`. `more`: there may be more where it came from. */
  hold(id: string, items: readonly Item[], more: boolean): void {
    const lane = this.lanes.get(id) ?? { window: this.slow.get(id) ?? FIRST, underway: 0, waiting: [], more };
    lane.waiting.push(...items);
    lane.more = more;
    this.lanes.set(id, lane);
    this.count(lane, items.length);
  }

  /** The next thing for a webhook, while it may have another request under way. */
  take(id: string): Item | undefined {
    const lane = this.lanes.get(id);
    if (!lane || lane.underway >= lane.window) return undefined;
    const item = lane.waiting.shift();
    if (item !== undefined) lane.underway++;
    return item;
  }

  /** What was taken is done with; without `fared` nothing is known of the webhook. Answers whether to look for more. */
  done(id: string, fared?: AttemptResult): boolean {
    const lane = this.lanes.get(id)!;
    lane.underway--;
    this.count(lane, -1);
    if (fared) this.resize(id, lane, nextWindow(lane.window, fared));
    if (lane.underway === 0 && lane.waiting.length === 0) this.lanes.delete(id);
    return (lane.more && lane.waiting.length <= lane.window / 2) || this.room === 1;
  }

  /** What nobody has taken yet, and is not held any more. */
  empty(): Item[] {
    const left: Item[] = [];
    for (const [id, lane] of this.lanes) {
      const waiting = lane.waiting.splice(0);
      this.count(lane, -waiting.length);
      left.push(...waiting);
      if (lane.underway === 0) this.lanes.delete(id);
    }
    return left;
  }

  private resize(id: string, lane: Lane<Item>, window: number): void {
    const own = lane.underway + lane.waiting.length;
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
  /** How many requests it may have under way. */
  window: number;
  underway: number;
  waiting: Item[];
  more: boolean;
}

const nextWindow = (window: number, { answered, ms }: AttemptResult) =>
  answered && ms < SLOW_MS ? Math.min(window + 1, MAX_CONCURRENCY) : Math.max(window >> 1, 1);

const isSlow = ({ window }: { window: number }) => window < FIRST;

/** What waits is there when a request ends; of what is slow nothing is to wait. */
const heldBy = (window: number) => (window < FIRST ? window : HELD_FACTOR * window);
