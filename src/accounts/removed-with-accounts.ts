import { ACCOUNTS } from './entities/account.entity.js';
import { alsoDelete } from './resource-definition.js';
import { enqueueWrite } from '../common/jobs/enqueue.js';
import { defineJob } from '../common/jobs/job.js';

/** Requests and jobs that began before an account was deleted have ended by then, and with them what they store. */
const SETTLED_SECONDS = 3_600;

/**
 * Declares a job that removes what a deleted account has. The statement that deletes the account enqueues it twice: at once, and
 * for what arrives after that.
 */
export function removedWithAccounts(name: string) {
  const job = defineJob<{ accountId: string }>(name, { timeoutSeconds: 600, retries: 15, retryDelaySeconds: 10 });
  alsoDelete(ACCOUNTS, (ids) => {
    const payloads = ids.map((accountId) => ({ accountId }));
    return [enqueueWrite(job, payloads), enqueueWrite(job, payloads, { delaySeconds: SETTLED_SECONDS })];
  });
  return job;
}
