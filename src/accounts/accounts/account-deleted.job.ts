import { defineJob } from '../../common/jobs/job.js';

/**
 * An account was deleted. The statement that deletes it enqueues this, so that other domains remove what must not outlive
 * it. Worked on by the audiences.
 */
export const ACCOUNT_DELETED = defineJob<{ accountId: string }>('account-deleted', { timeoutSeconds: 60, retries: 20 });
