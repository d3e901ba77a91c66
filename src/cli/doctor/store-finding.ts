import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { describeError } from '../run.js';
import { type Finding, okFinding, skippedFinding, problemFinding } from './finding.js';

const CHECK = 'store';

/** Whether the store of this environment answers and has all migrations; `pid` is the service here that has it open. */
export async function storeFinding(config: Config, pid: number | undefined): Promise<Finding> {
  const { databaseUrl, dataDir } = config;
  if (!databaseUrl && pid !== undefined)
    return okFinding(CHECK, `the service (process ${pid}) has the store in ${dataDir} open, with all migrations`);
  if (!databaseUrl && !existsSync(join(dataDir, 'store')))
    return skippedFinding(CHECK, `there is no store in DATA_DIR (${dataDir}), and DATABASE_URL is not set`);
  const place = databaseUrl ? 'DATABASE_URL' : `DATA_DIR (${dataDir})`;
  try {
    // imported on demand: it loads all entities
    const { migrationsOfStore } = await import('../migrate-store.js');
    const { pending, unknown } = await migrationsOfStore(config);
    if (pending.length > 0)
      return problemFinding(
        CHECK,
        `the store of ${place} lacks ${pending.length} migrations, beginning with ${pending[0]}`,
        'run `marquee migrate`',
      );
    if (unknown.length > 0)
      return problemFinding(
        CHECK,
        `a newer release of Marquee has used the store of ${place} (${unknown.join(', ')})`,
        'use that release',
      );
    return okFinding(CHECK, `the store of ${place} answers and has all migrations`);
  } catch (error) {
    return problemFinding(
      CHECK,
      describeError(error),
      databaseUrl
        ? 'start PostgreSQL, or correct DATABASE_URL'
        : 'stop the process that has it open, or correct DATA_DIR',
    );
  }
}
