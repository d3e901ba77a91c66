import { defineJob } from '../../common/jobs/job.js';

/** A user was deleted. The transaction that deletes them enqueues this, so that every domain removes what it keeps of them. */
export const USER_DELETED = defineJob<{ userId: string }>('user-deleted', { timeoutSeconds: 3_600, retries: 20 });
