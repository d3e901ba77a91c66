import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Batch } from '../../common/batch/batch.js';
import { type BatchResult } from '../../common/http/answers/batch-result.js';
import type { Row } from '../../common/db/query/rows.js';
import { CUSTOM_AUDIENCE_OPERATIONS, MAX_BATCH_SIZE } from './custom-audience-batch.dto.js';
import type { CustomAudience } from '../entities/custom-audience.entity.js';
import { CUSTOM_AUDIENCES } from './custom-audience.resource.js';
import { CustomAudienceWrites } from './custom-audience.writes.js';

@Injectable()
export class CustomAudienceBatchService {
  constructor(
    private readonly resources: Resources,
    private readonly writes: CustomAudienceWrites,
  ) {}

  /** Performs up to 10 operations, all or none. */
  batch(account: ActingAccount, body: unknown): Promise<BatchResult<Row<CustomAudience>>> {
    const batch = Batch.read(body, MAX_BATCH_SIZE, CUSTOM_AUDIENCE_OPERATIONS, { account_id: account.id });
    return this.resources.performBatch<CustomAudience, typeof CUSTOM_AUDIENCE_OPERATIONS>(
      account,
      CUSTOM_AUDIENCES,
      this.writes.batch,
      batch,
    );
  }
}
