import type { Type } from '@nestjs/common';
import { DeliveryPosition } from './delivery/delivery-position.entity.js';
import { DeliveryAudience } from './facts/delivery-audience.entity.js';
import { DeliveryDay, DeliveryRollup } from './facts/delivery-day.entity.js';
import { DeliveryFact } from './facts/delivery-fact.entity.js';
import { StatisticsJob } from './jobs/statistics-job.entity.js';

/** The tables of statistics. */
export const STATISTICS_ENTITIES: Type[] = [
  DeliveryAudience,
  DeliveryDay,
  DeliveryFact,
  DeliveryPosition,
  DeliveryRollup,
  StatisticsJob,
];
