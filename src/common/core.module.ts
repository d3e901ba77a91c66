import { join } from 'node:path';
import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { BlobStore } from './blobs/blob-store.js';
import { DiskBlobStore } from './blobs/disk-blob-store.js';
import { S3BlobStore } from './blobs/s3-blob-store.js';
import { Clock } from './time/clock.js';
import { DATABASE, type Database } from './db/database.js';
import { showFigures } from './db/figures.js';
import { DatabaseNotifications } from './db/cache/notifications.js';
import { HostNames } from './http/outgoing/guarded-agent.js';
import { Jobs } from './jobs/jobs.js';
import { Metrics } from './metrics/metrics.js';
import { Partitions, PartitionsJob } from './partitions/partitions.js';
import { StorageQuotas } from './storage/storage-quotas.js';
import { checkSortable } from './list/list-query.js';
import { RedisLink } from './redis/redis.js';

/** The parts that the application depends on, created before it. */
export interface Platform {
  config: Config;
  store: Database;
  clock: Clock;
}

/**
 * The platform as injectable parts: Config, Clock, DataSource, DatabaseNotifications, RedisLink (null without
 * REDIS_URL), BlobStore, Metrics, Jobs.
 */
@Module({})
export class CoreModule {
  static forRoot({ config, store, clock }: Platform): DynamicModule {
    checkSortable(store.dataSource);
    const parts = [
      { provide: Config, useValue: config },
      { provide: Clock, useValue: clock },
      { provide: DataSource, useValue: store.dataSource },
      {
        provide: DATABASE,
        useFactory: (metrics: Metrics) => {
          warnOfFallback(store);
          showFigures(store, metrics);
          return store;
        },
        inject: [Metrics],
      },
      {
        provide: DatabaseNotifications,
        useFactory: async () => {
          const notifications = new DatabaseNotifications(store);
          await notifications.start();
          return Object.assign(notifications, { onApplicationShutdown: () => notifications.stop() });
        },
      },
      { provide: RedisLink, useFactory: (metrics: Metrics) => RedisLink.from(config, metrics), inject: [Metrics] },
      {
        provide: BlobStore,
        useFactory: () => (config.s3 ? new S3BlobStore(config.s3) : new DiskBlobStore(join(config.dataDir, 'blobs'))),
      },
      HostNames,
      Metrics,
      StorageQuotas,
      Partitions,
      PartitionsJob,
      {
        provide: Jobs,
        useFactory: (metrics: Metrics) => new Jobs(config, store.dataSource, metrics),
        inject: [Metrics],
      },
    ];
    return { module: CoreModule, global: true, providers: parts, exports: parts };
  }
}

function warnOfFallback(store: Database): void {
  if (store.driverFallback) {
    new Logger('Database').warn(
      { err: store.driverFallback },
      'DATABASE_DRIVER=fast does not work with the installed version of pg. DATABASE_DRIVER=plain is used instead, which returns the same results more slowly',
    );
  }
}
