import { Module, type DynamicModule } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config.js';
import { Clock } from './clock.js';
import { DATABASE, type Database } from './db/database.js';
import { DatabaseNotifications } from './db/cache/notifications.js';
import { Metrics } from './metrics/metrics.js';
import { checkSortable } from './list/list-query.js';
import { RedisLink } from './redis/redis.js';

/** What everything stands on, made before the application and handed to it. */
export interface Platform {
  config: Config;
  store: Database;
  clock: Clock;
}

/** The platform as injectable parts: Config, Clock, DataSource, DatabaseNotifications, RedisLink (null without REDIS_URL), Metrics. */
@Module({})
export class CoreModule {
  static forRoot({ config, store, clock }: Platform): DynamicModule {
    checkSortable(store.dataSource);
    const parts = [
      { provide: Config, useValue: config },
      { provide: Clock, useValue: clock },
      { provide: DataSource, useValue: store.dataSource },
      { provide: DATABASE, useValue: store },
      {
        provide: DatabaseNotifications,
        useFactory: async () => {
          const notifications = new DatabaseNotifications(store);
          await notifications.start();
          return Object.assign(notifications, { onApplicationShutdown: () => notifications.stop() });
        },
      },
      { provide: RedisLink, useFactory: () => RedisLink.from(config) },
      Metrics,
    ];
    return { module: CoreModule, global: true, providers: parts, exports: parts };
  }
}
