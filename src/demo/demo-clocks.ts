import type { INestApplicationContext } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { DAY_MS } from '../common/days.js';
import type { Config } from '../config/config.js';
import { TestClocksService } from '../workbench/clocks/test-clocks.service.js';
import type { Owner } from '../workbench/owner.js';

/** No request can make the time of an account go back, so the clock to attach it to is far ahead. */
const AHEAD_MS = 700 * DAY_MS;

/**
 * Creates a test clock, another one to delete, and one in the future, which `attached` follows and `free` can follow.
 * Returns none without the workbench.
 */
export async function makeClocks(
  app: INestApplicationContext,
  { workbench }: Pick<Config, 'workbench'>,
  owner: Owner,
  accounts: { free: string; attached: string },
): Promise<Record<string, string>> {
  if (!workbench) return {};
  const now = app.get(Clock).now().getTime();
  const clocks = app.get(TestClocksService, { strict: false });
  const create = async (name: string, ms = now) => {
    const frozen_time = new Date(ms).toISOString();
    return (await clocks.create(owner.applicationId, owner.userId, { name, frozen_time })).clock.id;
  };
  const later = await create('Later', now + AHEAD_MS);
  await clocks.attach(owner, later, accounts.attached);
  return {
    clock_id: await create('Demo'),
    spare_clock_id: await create('Spare'),
    followed_clock_id: later,
    followed_account_id: accounts.free,
    attached_account_id: accounts.attached,
  };
}
