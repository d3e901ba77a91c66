import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import type { Clock } from '../../common/time/clock.js';
import type { DeliveryFault } from './delivery-faults.js';
import { hold, releaseDeliveries, type ClaimedDelivery } from './delivery.statements.js';

/** Maximum number of reordered deliveries whose successor this process looks for. The others wait for their full time. */
const MAX_REORDERED = 1_000;

/**
 * Deliveries that a fault makes wait. They wait in the queue, not in a slot: other deliveries are sent meanwhile, and any
 * process sends them when they are due.
 */
export class HeldDeliveries {
  /** Those that a later delivery of their webhook releases. */
  private readonly reordered = new LRUCache<string, true>({ max: MAX_REORDERED });

  constructor(
    private readonly db: EntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a delivery wait, if its fault says that. Returns false if the webhook has a delivery that this fault holds
   * already: the next delivery passes it.
   */
  async hold(
    tx: EntityManager,
    { id }: Pick<ClaimedDelivery, 'id'>,
    { id: fault, kind, waitMs }: DeliveryFault,
  ): Promise<boolean> {
    if (kind !== 'DELAY' && kind !== 'REORDER') return true;
    const now = this.clock.ms();
    return hold(tx, {
      deliveryId: id,
      fault,
      now: new Date(now).toISOString(),
      until: new Date(now + waitMs).toISOString(),
      onlyOne: kind === 'REORDER',
    });
  }

  /** Looks for the successor of a reordered delivery from now on. Call it once the hold is committed. */
  watch(deliveryId: string): void {
    this.reordered.set(deliveryId, true);
  }

  get isWatching(): boolean {
    return this.reordered.size > 0;
  }

  /** Makes reordered deliveries due after whose hold their webhook was sent a later event. */
  async release(): Promise<void> {
    if (!this.isWatching) return;
    const ids = [...this.reordered.keys()];
    const waiting = new Set(await releaseDeliveries(this.db, ids, this.clock.now().toISOString()));
    for (const id of ids) if (!waiting.has(id)) this.reordered.delete(id);
  }
}
