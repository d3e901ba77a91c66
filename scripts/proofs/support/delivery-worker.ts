/** Simulates the hours of an account from its position on, as a process of its own: see delivery-workers.ts. */
import 'reflect-metadata';
import { once } from 'node:events';
import { DataSource } from 'typeorm';
import { HOUR_MS } from '../../../src/common/time/days.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { readConfig } from '../../../src/config/config.js';
import { openService } from '../../../src/service.js';
import { DeliveryPosition } from '../../../src/statistics/delivery/delivery-position.entity.js';
import { SimulatedDelivery } from '../../../src/statistics/delivery/simulated-delivery.service.js';
import type { DeliveryOrder, DeliveryWord } from './delivery-workers.js';

const say = (word: DeliveryWord) => process.send!(word);

process.once('message', (order: DeliveryOrder) => void simulate(order));

async function simulate({ environment, accountId, first, hours }: DeliveryOrder): Promise<void> {
  const service = await openService(readConfig(environment));
  const delivery = service.app.get(SimulatedDelivery);
  const { manager } = service.app.get(DataSource);
  const told = once(process, 'message');
  say('ready');
  await told;
  for (;;) {
    const position = await rows(manager, DeliveryPosition).where('accountId', accountId).getOne();
    const hour = position ? Date.parse(position.hour) : first;
    if (hour >= first + hours * HOUR_MS) break;
    say({ begun: hour });
    await delivery.deliverHour(accountId, new Date(hour));
    say({ done: hour });
  }
  await service.close();
  process.disconnect();
}
