import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { world } from '../support/app.js';
import type { Json } from '../support/http.js';
import type { Receiver } from '../support/receiver.js';
import { DeliveryWorker } from '../../src/webhooks/deliveries/delivery-worker.js';
import type { Kind } from './kinds.js';
import type { Change, ModelAccount } from './world.js';

const PATIENCE_MS = 20_000;
const LEASE_MS = 60_000;

/** A change as its event tells of it. */
const shownIn = ({ entity, entity_id, change_type, changes }: Omit<Change, 'user_id'>) =>
  JSON.stringify([entity, entity_id, change_type, change_type === 'UPDATE' ? Object.entries(changes).sort() : []]);

/** A webhook of all accounts got one event for each change of an account, whatever came twice, and no other. */
export async function sameEvents({ received }: Receiver, account: ModelAccount, kinds: readonly Kind[]) {
  const arrived = () => {
    const byId = new Map(received.map(({ event }) => [event.event_id as string, event]));
    return [...byId.values()]
      .filter(({ for_account_id }) => for_account_id === account.id)
      .flatMap((event) => Object.values<Json>(event).filter(Array.isArray).flat())
      .filter(({ entity_type, type }) => kinds.includes(entity_type) && type !== 'status_change')
      .map(({ entity_type: entity, entity_id, type, changes = {} }) =>
        shownIn({ entity, entity_id, change_type: type.toUpperCase(), changes }),
      )
      .sort();
  };
  // what a process held that was killed is sent by others after a while
  if (world().processes.length > 0) await world().pass(LEASE_MS);
  const until = Date.now() + PATIENCE_MS;
  while (arrived().length < account.history.length && Date.now() < until) {
    world().get(DeliveryWorker).wakeUp();
    await pause(20);
  }
  expect(arrived()).toEqual(account.history.map(shownIn).sort());
}
