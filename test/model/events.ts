import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { world } from '../support/app.js';
import type { Json } from '../support/http.js';
import type { Receiver } from '../support/receiver.js';
import { DeliveryWorker } from '../../src/webhooks/deliveries/delivery-worker.js';
import { KINDS } from './kinds.js';
import type { Change } from './world.js';

const PATIENCE_MS = 20_000;
const LEASE_MS = 60_000;

/** A change as its event tells of it. */
const shownIn = ({ entity, entity_id, change_type: type, changes }: Omit<Change, 'user_id'>) =>
  JSON.stringify([entity, entity_id, type, CHANGING.includes(type) ? Object.entries(changes).sort() : []]);
const CHANGING = ['UPDATE', 'STATUS_CHANGE'];

/** A webhook got one event for each of these changes of an account, whatever came twice, and no other. */
export async function sameEvents({ received }: Receiver, url: string, accountId: string, changes: readonly Change[]) {
  const arrived = () => {
    const sent = received.filter(({ path }) => url.endsWith(path));
    const byId = new Map(sent.map(({ event }) => [event.event_id as string, event]));
    return [...byId.values()]
      .filter(({ for_account_id }) => for_account_id === accountId)
      .flatMap((event) => Object.values<Json>(event).filter(Array.isArray).flat())
      .filter(({ entity_type }) => entity_type in KINDS)
      .map(({ entity_type: entity, entity_id: id, data, type, changes = {} }) =>
        // media of a library are known by their keys
        shownIn({
          ...{ entity, entity_id: entity === 'LIBRARY_MEDIA' ? data.media_key : id },
          ...{ change_type: type.toUpperCase(), changes },
        }),
      )
      .sort();
  };
  // what a process held that was killed is sent by others after a while
  if (world().processes.length > 0 && arrived().length < changes.length) await world().pass(LEASE_MS);
  const until = Date.now() + PATIENCE_MS;
  while (arrived().length < changes.length && Date.now() < until) {
    world().get(DeliveryWorker).wakeUp();
    await pause(20);
  }
  expect(arrived()).toEqual(changes.map(shownIn).sort());
}
