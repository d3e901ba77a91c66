import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { NamespacesService } from './namespaces.service.js';

const BATCH = 50;

/** No retries: the next job starts within a minute. */
const NAMESPACE_EXPIRY = defineJob('namespace-expiry', { timeoutSeconds: 300, retries: 0 });

/** Once a minute, deletes the namespaces that have expired. */
@Injectable()
export class NamespaceExpiryJob implements OnModuleInit {
  private readonly logger = new Logger('Namespaces');

  constructor(
    private readonly namespaces: NamespacesService,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(NAMESPACE_EXPIRY, async (_, { signal }) => void (await this.deleteExpired(signal)));
    this.jobs.schedule(NAMESPACE_EXPIRY, { everySeconds: 60 });
  }

  /** Returns how many this process deleted. Ends early when the signal aborts. */
  async deleteExpired(signal?: AbortSignal): Promise<number> {
    let deleted = 0;
    for (;;) {
      const expired = await this.namespaces.expired(BATCH);
      let deletedNow = 0;
      for (const namespace of expired) {
        if (signal?.aborted) return deleted;
        try {
          if (await this.namespaces.deleteExpired(namespace)) deletedNow++;
        } catch (error) {
          // the others are deleted all the same; the next job tries this one again
          this.logger.error({ namespace: namespace.id, err: error }, 'An expired namespace cannot be deleted');
        }
      }
      deleted += deletedNow;
      if (deletedNow === 0 || expired.length < BATCH) return deleted;
    }
  }
}
