import type { Type } from '@nestjs/common';
import { Clock } from '../../src/common/time/clock.js';
import { DatabaseNotifications } from '../../src/common/db/cache/notifications.js';
import { openDatabase } from '../../src/common/db/database.js';
import { createApp } from '../../src/create-app.js';
import { ENTITIES } from '../../src/entities.js';
import { MIGRATIONS } from '../../src/migrations/index.js';
import { DataSource } from 'typeorm';
import { world } from './app.js';

/** One more application on the store of this spec file, as another replica is; only on a server. */
export interface Another {
  get<T>(kind: Type<T>): T;
  /** Waits until it has heard what the first application announced so far. */
  heard(): Promise<void>;
  close(): Promise<void>;
}

export async function openAnother(): Promise<Another> {
  const store = await openDatabase(world().config, { entities: ENTITIES, migrations: MIGRATIONS });
  const app = await createApp({ config: world().config, store, clock: new Clock(store.time) });
  await app.init();
  let marks = 0;
  return {
    get: (kind) => app.get(kind),
    async heard() {
      const mark = `another ${++marks}`;
      const arrived = new Promise<void>((resolve) => {
        const unsubscribe = app.get(DatabaseNotifications).on('test-another', (payload) => {
          if (payload !== mark) return;
          unsubscribe();
          resolve();
        });
      });
      const notifications = world().get(DatabaseNotifications);
      await notifications.publish(world().get(DataSource).manager, 'test-another', mark);
      await arrived;
    },
    async close() {
      await app.close();
      await store.close();
    },
  };
}
