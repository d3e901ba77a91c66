import type { INestApplicationContext } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { newId } from '../common/entity/ids.js';
import type { Config } from '../config/config.js';
import type { Owner } from '../workbench/owner.js';
import { SnapshotsService } from '../workbench/snapshots/snapshots.service.js';

/** Saves an account under two names, the second of which may be deleted. Returns none without the workbench. */
export async function makeSnapshots(
  app: INestApplicationContext,
  { workbench }: Pick<Config, 'workbench'>,
  owner: Owner,
  accountId: string,
): Promise<Record<string, string>> {
  if (!workbench) return {};
  const save = async () => {
    // like an id, so that the document can show another one in its place
    const name = newId(app.get(Clock).now());
    await app.get(SnapshotsService, { strict: false }).save(owner, name, [accountId]);
    return name;
  };
  return { snapshot_name: await save(), spare_snapshot_name: await save() };
}
