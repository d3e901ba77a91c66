import type { Type } from '@nestjs/common';
import { DeliveryPosition } from './delivery/delivery-position.entity.js';
import { DeliveryFact } from './facts/delivery-fact.entity.js';

/** The tables of statistics. */
export const STATISTICS_ENTITIES: Type[] = [DeliveryFact, DeliveryPosition];
