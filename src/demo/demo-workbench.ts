import type { INestApplicationContext } from '@nestjs/common';
import type { Application } from '../auth/credentials/application.entity.js';
import type { Config } from '../config/config.js';
import type { makeAccounts } from './demo-accounts.js';
import { makeClocks } from './demo-clocks.js';
import { makeFaults } from './demo-faults.js';
import { makeNamespaces } from './demo-namespaces.js';
import { makeSnapshots } from './demo-snapshots.js';

/**
 * Creates what the workbench shows of an application; the snapshots are of the account to reset. Returns the ids of examples:
 * without the workbench, only the account.
 */
export async function makeWorkbench(
  app: INestApplicationContext,
  config: Config,
  { id: applicationId, ownerId: userId }: Pick<Application, 'id' | 'ownerId'>,
  { resetSandbox: { id: accountId }, clockedSandbox }: Awaited<ReturnType<typeof makeAccounts>>,
): Promise<Record<string, string>> {
  const owner = { applicationId, userId };
  return {
    reset_sandbox_account_id: accountId,
    ...(await makeFaults(app, config, applicationId)),
    ...(await makeSnapshots(app, config, owner, accountId)),
    ...(await makeNamespaces(app, config, applicationId)),
    ...(await makeClocks(app, config, owner, { free: accountId, attached: clockedSandbox.id })),
  };
}
