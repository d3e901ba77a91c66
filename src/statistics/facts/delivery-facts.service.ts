import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Partitions } from '../../common/partitions/partitions.js';
import { byTime } from '../../common/partitions/periods.js';
import { DeliveryDay } from './delivery-day.entity.js';
import { DeliveryFact } from './delivery-fact.entity.js';

/** Keeps partitions for the facts and days of the next months. They are kept as long as their account. */
@Injectable()
export class DeliveryFactsService implements OnModuleInit {
  constructor(private readonly partitions: Partitions) {}

  onModuleInit(): void {
    this.partitions.register(DeliveryFact, { width: 'month', ahead: 2, key: byTime('hour') });
    this.partitions.register(DeliveryDay, { width: 'month', ahead: 2, key: byTime('start') });
  }
}
