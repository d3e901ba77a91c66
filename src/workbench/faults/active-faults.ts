import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import type { Row } from '../../common/db/query/rows.js';
import {
  DeliveryFaults,
  type DeliveryFault,
  type FaultableDelivery,
  type HoldDelivery,
} from '../../webhooks/deliveries/delivery-faults.js';
import { aboutEvent } from '../../webhooks/events/event-body.js';
import type { Fault } from './fault.entity.js';
import { activeFaults, applyOldest } from './faults.statements.js';
import { deliveryFaultOf, injectedBy, matchesEvent, type InjectedFault } from './injected-fault.js';
import { matchesOperation, readOperation, type OperationPattern, type OperationRequest } from './operation-pattern.js';

/** A request as faults select it. */
interface FaultableRequest extends OperationRequest {
  accountId?: string;
}

interface Selection {
  id: string;
  accountId: string | null;
  probability: number;
}

/** The selection of requests by a fault. */
interface RequestSelection extends Selection {
  operation?: OperationPattern;
}

/** The selection of deliveries by a fault. */
interface DeliverySelection extends Selection {
  webhookId: string | null;
  event: string | null;
}

/** The faults of an application, oldest first. */
interface Selections {
  requests: readonly RequestSelection[];
  deliveries: readonly DeliverySelection[];
}

/** A notification on this channel means that the faults of an application have changed. */
const CHANNEL = 'faults';

/** Ends the transaction of a fault that cannot be carried out. */
class NotCarriedOut extends Error {
  constructor(readonly faultId: string) {
    super('the fault does not concern this delivery now');
  }
}

/**
 * The faults that the requests of applications meet, and the deliveries to their webhooks. Those of an application are
 * cached for ten seconds, and dropped at once when a replica notifies that they changed. Whether one still applies is
 * decided by the database.
 */
@Injectable()
export class ActiveFaults implements OnModuleInit {
  private readonly selections: SharedCache<Selections>;

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    notifications: DatabaseNotifications,
    private readonly deliveryFaults: DeliveryFaults,
  ) {
    this.selections = new SharedCache(notifications, CHANNEL, { max: 10_000 });
  }

  onModuleInit(): void {
    this.deliveryFaults.register((delivery, hold) => this.findForDelivery(delivery, hold));
  }

  /** Has all replicas read the faults of an application again. Call it after the statement that changed them. */
  invalidate(applicationId: string): Promise<void> {
    return this.selections.invalidate(this.db.manager, applicationId);
  }

  /**
   * The fault that a request meets, which counts as applied: the oldest that matches. Undefined, and without a promise,
   * where the application is known to have none.
   */
  find(applicationId: string, request: FaultableRequest): undefined | Promise<InjectedFault | undefined> {
    return this.withSelections(applicationId, 'requests', async (selections) => {
      const ids = idsOf(selections, (each) => selectsRequest(each, request));
      if (ids.length === 0) return undefined;
      const applied = await applyOldest(this.db.manager, applicationId, ids, this.clock.now().toISOString());
      return applied && injectedBy(applied);
    });
  }

  /** The same for a delivery. A fault that makes it wait counts in the transaction in which it begins to wait. */
  private findForDelivery(
    delivery: FaultableDelivery,
    hold: HoldDelivery,
  ): undefined | Promise<DeliveryFault | undefined> {
    const { applicationId, webhookId, text } = delivery;
    return this.withSelections(applicationId, 'deliveries', (selections) => {
      const event = { webhookId, ...aboutEvent(text) };
      return this.applyToDelivery(
        applicationId,
        idsOf(selections, (each) => selectsDelivery(each, event)),
        hold,
      );
    });
  }

  private async applyToDelivery(
    applicationId: string,
    ids: readonly string[],
    hold: HoldDelivery,
  ): Promise<DeliveryFault | undefined> {
    if (ids.length === 0) return undefined;
    try {
      return await this.db.transaction(async (tx) => {
        const applied = await applyOldest(tx, applicationId, ids, this.clock.now().toISOString());
        const fault = applied && deliveryFaultOf(applied);
        if (fault && !(await hold(tx, fault))) throw new NotCarriedOut(fault.id);
        return fault;
      });
    } catch (error) {
      if (!(error instanceof NotCarriedOut)) throw error;
      const others = ids.filter((id) => id !== error.faultId);
      return this.applyToDelivery(applicationId, others, hold);
    }
  }

  private withSelections<K extends keyof Selections, T>(
    applicationId: string,
    kind: K,
    apply: (selections: Selections[K]) => Promise<T | undefined>,
  ): undefined | Promise<T | undefined> {
    const known = this.selections.get(applicationId);
    if (!known) return this.load(applicationId).then((loaded) => apply(loaded[kind]));
    return known[kind].length === 0 ? undefined : apply(known[kind]);
  }

  private async load(applicationId: string): Promise<Selections> {
    const keep = this.selections.beginRead();
    const faults = await activeFaults(this.db.manager, applicationId, this.clock.now().toISOString());
    const selections = {
      requests: faults.filter(({ webhookFault }) => webhookFault === null).map(requestSelection),
      deliveries: faults.filter(({ webhookFault }) => webhookFault !== null).map(deliverySelection),
    };
    keep(applicationId, selections);
    return selections;
  }
}

const requestSelection = ({ id, operation, accountId, probability }: Row<Fault>): RequestSelection => ({
  id,
  ...(operation !== null && { operation: readOperation(operation) }),
  accountId,
  probability,
});

const deliverySelection = ({ id, accountId, probability, webhookId, event }: Row<Fault>): DeliverySelection => ({
  id,
  accountId,
  probability,
  webhookId,
  event,
});

/** The ids of those that match, each with its probability. */
const idsOf = <T extends Selection>(selections: readonly T[], matches: (selection: T) => boolean): string[] =>
  selections.flatMap((each) =>
    matches(each) && (each.probability >= 1 || Math.random() < each.probability) ? [each.id] : [],
  );

function selectsRequest({ operation, accountId }: RequestSelection, request: FaultableRequest): boolean {
  if (accountId !== null && accountId !== request.accountId) return false;
  return !operation || matchesOperation(operation, request);
}

function selectsDelivery(
  { accountId, webhookId, event }: DeliverySelection,
  delivery: { webhookId: string; accountId?: string; kind: string },
): boolean {
  if (accountId !== null && accountId !== delivery.accountId) return false;
  if (webhookId !== null && webhookId !== delivery.webhookId) return false;
  return event === null || matchesEvent(event, delivery.kind);
}
