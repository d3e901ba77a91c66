import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { Partitions } from '../../common/partitions/partitions.js';
import { byTime } from '../../common/partitions/periods.js';
import { DeliveryDay } from './delivery-day.entity.js';
import { DeliveryFact } from './delivery-fact.entity.js';

/** Keeps partitions for the facts and days of the next months. They are kept as long as their account. */
@Injectable()
export class DeliveryFactsService implements OnModuleInit {
  private readonly logger = new Logger('Partitions');

  constructor(private readonly partitions: Partitions) {}

  /** Creates the partitions of the times that a test clock passes. Without a lock in time, facts go to the default partition. */
  async cover(from: Date, until: Date): Promise<void> {
    for (const entity of [DeliveryFact, DeliveryDay])
      await this.partitions
        .cover(entity, from, until)
        .catch((error: unknown) => this.logger.warn(`Partitions of test clocks: ${failureReasonOf(error)}`));
  }

  onModuleInit(): void {
    this.partitions.register(DeliveryFact, { width: 'month', ahead: 2, key: byTime('hour') });
    this.partitions.register(DeliveryDay, { width: 'month', ahead: 2, key: byTime('start') });
  }
}
