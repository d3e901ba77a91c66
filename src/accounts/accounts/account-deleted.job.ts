import { defineJob } from '../../common/jobs/job.js';

/**
 * An account was deleted. The deleting statement enqueues this job, so that other domains delete dependent data. The
 * audiences domain handles it.
 */
export const ACCOUNT_DELETED = defineJob<{ accountId: string }>('account-deleted', { timeoutSeconds: 60, retries: 20 });
