import { hash as digest } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import { Clock } from '../../common/time/clock.js';
import type { Engagement } from '../entities/engagement.entity.js';
import type { AppConversionType } from '../entities/app-conversion-types.js';
import { addAttributed, inCurrency } from './attribution.statements.js';

/** An event in an app, as a measurement partner reports it. */
export interface AppEvent {
  tagId: string;
  type: AppConversionType;
  items?: number;
  priceMicro?: number;
  /** ISO 4217. */
  currency?: string;
  /** By the clock of the account. */
  receivedAt: string;
  /** What the same event has again: app, time, device. */
  identity: readonly string[];
}

/** Counts events in apps in the statistics of what they are attributed to. */
@Injectable()
export class AppAttribution {
  constructor(private readonly clock: Clock) {}

  /** The event counts once in 48 hours, in the hour of the engagement, its price in the currency of the line item. */
  count(db: EntityManager, engagement: Row<Engagement>, event: AppEvent): Promise<void> {
    const { tagId, type, items = 0, priceMicro = 0, currency = 'USD', receivedAt, identity } = event;
    const amount = inCurrency(priceMicro, currency.toUpperCase(), engagement.currency);
    const key = digest('sha256', JSON.stringify([type, ...identity]), 'hex').slice(0, 32);
    const at = this.clock.now().toISOString();
    return addAttributed(db, { engagement, tagId, type: `APP_${type}`, items, amount, receivedAt, key, at });
  }
}
