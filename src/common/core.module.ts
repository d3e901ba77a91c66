import { Module, type DynamicModule } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config.js';
import { Clock } from './clock.js';
import { STORE, type Store } from './db/data-source.js';
import { Notices } from './db/notices.js';
import { Metrics } from './metrics/metrics.js';
import { RedisLink } from './redis/redis.js';

/** What everything stands on, made before the application and handed to it. */
export interface Ground {
  config: Config;
  store: Store;
  clock: Clock;
}

/** The ground as injectable parts: Config, Clock, DataSource, Notices, RedisLink (null without REDIS_URL), Metrics. */
@Module({})
export class CoreModule {
  static on({ config, store, clock }: Ground): DynamicModule {
    const parts = [
      { provide: Config, useValue: config },
      { provide: Clock, useValue: clock },
      { provide: DataSource, useValue: store.dataSource },
      { provide: STORE, useValue: store },
      {
        provide: Notices,
        useFactory: async () => {
          const notices = new Notices(store);
          await notices.start();
          return Object.assign(notices, { onApplicationShutdown: () => notices.stop() });
        },
      },
      { provide: RedisLink, useFactory: () => RedisLink.from(config) },
      Metrics,
    ];
    return { module: CoreModule, global: true, providers: parts, exports: parts };
  }
}
