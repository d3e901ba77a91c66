import { Logger } from '@nestjs/common';
import { Clock } from '../../../src/common/time/clock.js';
import { CoreModule } from '../../../src/common/core.module.js';
import { DATABASE, type Database } from '../../../src/common/db/database.js';
import { Metrics } from '../../../src/common/metrics/metrics.js';
import { readConfig } from '../../../src/config/config.js';

describe('the database as a provider', () => {
  const warned: unknown[][] = [];
  beforeEach(() => {
    warned.length = 0;
    const ignore = () => undefined;
    Logger.overrideLogger({ log: ignore, error: ignore, warn: (...given: unknown[]) => void warned.push(given) });
  });
  afterAll(() => Logger.overrideLogger(false));

  function provide(driverFallback?: Error): unknown {
    const store = { driverFallback } as Database;
    const { providers = [] } = CoreModule.forRoot({ config: readConfig({}), store, clock: new Clock() });
    const own = providers.find((each) => 'provide' in each && each.provide === DATABASE);
    expect((own as { useFactory(metrics: Metrics): unknown }).useFactory(new Metrics())).toBe(store);
    return warned;
  }

  it('says once in the log that the plain driver serves instead of the fast one, and why', () => {
    const why = new Error('its answers differ from those of pg');
    expect(provide(why)).toEqual([[{ err: why }, expect.stringContaining('DATABASE_DRIVER=plain'), 'Database']]);
  });

  it('says nothing when the driver is the one that was asked for', () => {
    expect(provide()).toEqual([]);
  });
});
