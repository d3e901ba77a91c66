import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';

/** Faults of a delivery in the tests of an integrator. */
export const WEBHOOK_FAULTS = closedSet('WebhookFault', ['DELAY', 'DROP', 'DUPLICATE', 'REORDER', 'INVALID_SIGNATURE']);
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];

/** The header of a request to a webhook that a fault changed. */
export const DELIVERY_FAULT_HEADER = 'x-marquee-fault';

/** The fault of one attempt. */
export interface DeliveryFault {
  id: string;
  kind: WebhookFault;
  /** The time that the delivery waits, in milliseconds: with REORDER the maximum. */
  waitMs: number;
}

/** An attempt that is about to start. */
export interface FaultableDelivery {
  applicationId: string;
  webhookId: string;
  /** The rendered event. */
  text: string;
}

/**
 * Stores that a delivery waits, in the transaction that counts the fault. It returns false if the fault cannot concern
 * this delivery now; then the fault must not count.
 */
export type HoldDelivery = (tx: EntityManager, fault: DeliveryFault) => Promise<boolean>;

/** Finds the fault of an attempt; undefined, and without a promise, for applications without faults. */
type FindFault = (delivery: FaultableDelivery, hold: HoldDelivery) => undefined | Promise<DeliveryFault | undefined>;

/** Finds the fault of an attempt. A module with faults registers how; without one there are none. */
@Injectable()
export class DeliveryFaults {
  private finder: FindFault = () => undefined;

  register(finder: FindFault): void {
    this.finder = finder;
  }

  find(delivery: FaultableDelivery, hold: HoldDelivery): ReturnType<FindFault> {
    return this.finder(delivery, hold);
  }
}
