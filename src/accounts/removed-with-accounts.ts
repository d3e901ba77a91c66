import { ACCOUNTS } from './entities/account.entity.js';
import { alsoDelete } from './resource-definition.js';
import { enqueueWrite } from '../common/jobs/enqueue.js';
import { defineJob } from '../common/jobs/job.js';

/** Declares a job that removes what a deleted account has. The statement that deletes the account enqueues it. */
export function removedWithAccounts(name: string) {
  const job = defineJob<{ accountId: string }>(name, { timeoutSeconds: 600, retries: 20, retryDelaySeconds: 10 });
  alsoDelete(ACCOUNTS, (ids) => [
    enqueueWrite(
      job,
      ids.map((accountId) => ({ accountId })),
    ),
  ]);
  return job;
}
