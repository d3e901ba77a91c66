import type { INestApplicationContext } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { Config } from '../config.js';
import { TestClocksService } from '../workbench/clocks/test-clocks.service.js';
import type { Owner } from '../workbench/owner.js';

/** Creates a test clock, and another one to delete, that no account follows. Returns none without the workbench. */
export async function makeClocks(
  app: INestApplicationContext,
  { workbench }: Pick<Config, 'workbench'>,
  { applicationId, userId }: Owner,
): Promise<Record<string, string>> {
  if (!workbench) return {};
  const frozen_time = app.get(Clock).now().toISOString();
  const create = async (name: string) => {
    const clocks = app.get(TestClocksService, { strict: false });
    return (await clocks.create(applicationId, userId, { name, frozen_time })).clock.id;
  };
  return { clock_id: await create('Demo'), spare_clock_id: await create('Spare') };
}
