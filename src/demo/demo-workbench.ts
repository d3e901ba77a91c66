import type { INestApplicationContext } from '@nestjs/common';
import type { Application } from '../auth/credentials/application.entity.js';
import type { Config } from '../config/config.js';
import type { makeAccounts } from './demo-accounts.js';
import { Clock } from '../common/time/clock.js';
import { DAY_MS } from '../common/time/days.js';
import { TestClocksService } from '../workbench/clocks/test-clocks.service.js';
import type { Owner } from '../workbench/sandbox-accounts.service.js';
import { FaultsService } from '../workbench/faults/faults.service.js';
import { NamespacesService } from '../workbench/namespaces/namespaces.service.js';
import { newId } from '../common/entity/ids.js';
import { SnapshotsService } from '../workbench/snapshots/snapshots.service.js';

/**
 * Creates what the workbench shows of an application; the snapshots are of the account to reset. Returns the ids of examples:
 * without the workbench, only the account.
 */
export async function makeWorkbench(
  app: INestApplicationContext,
  { workbench }: Config,
  { id: applicationId, ownerId: userId }: Pick<Application, 'id' | 'ownerId'>,
  { resetSandbox: { id: accountId }, clockedSandbox }: Awaited<ReturnType<typeof makeAccounts>>,
): Promise<Record<string, string>> {
  const account = { reset_sandbox_account_id: accountId };
  if (!workbench) return account;
  const owner = { applicationId, userId };
  return {
    ...account,
    ...(await makeFaults(app, applicationId)),
    ...(await makeSnapshots(app, owner, accountId)),
    ...(await makeNamespaces(app, applicationId)),
    ...(await makeClocks(app, owner, { free: accountId, attached: clockedSandbox.id })),
  };
}

/** No request can make the time of an account go back, so the clock to attach it to is far ahead. */
const AHEAD_MS = 700 * DAY_MS;

/**
 * Creates a test clock, another one to delete, and one in the future, which `attached` follows and `free` can follow.
 *
 */
async function makeClocks(
  app: INestApplicationContext,
  owner: Owner,
  accounts: { free: string; attached: string },
): Promise<Record<string, string>> {
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

const MONTH_SECONDS = 30 * 86_400;

/** Creates a fault, and another one to delete, that apply to no request. */
async function makeFaults(app: INestApplicationContext, applicationId: string): Promise<Record<string, string>> {
  const create = async () => {
    const { fault } = await app.get(FaultsService, { strict: false }).create(applicationId, {
      operation: 'createCampaign',
      error_status: 503,
      applied: 'BEFORE_COMMIT',
      probability: 0,
      ttl: MONTH_SECONDS,
    });
    return fault.id;
  };
  return { fault_id: await create(), spare_fault_id: await create() };
}

const WEEK_SECONDS = 7 * 86_400;

/** Creates a namespace, and another one to delete. */
async function makeNamespaces(app: INestApplicationContext, applicationId: string): Promise<Record<string, string>> {
  const create = async (name: string) => {
    const created = await app
      .get(NamespacesService, { strict: false })
      .create(applicationId, { name, ttl: WEEK_SECONDS });
    return created.namespace.id;
  };
  return { namespace_id: await create('Example'), spare_namespace_id: await create('Example to delete') };
}

/** Saves an account under two names, the second of which may be deleted. */
async function makeSnapshots(
  app: INestApplicationContext,
  owner: Owner,
  accountId: string,
): Promise<Record<string, string>> {
  const save = async () => {
    // like an id, so that the document can show another one in its place
    const name = newId(app.get(Clock).now());
    await app.get(SnapshotsService, { strict: false }).save(owner, name, [accountId]);
    return name;
  };
  return { snapshot_name: await save(), spare_snapshot_name: await save() };
}
