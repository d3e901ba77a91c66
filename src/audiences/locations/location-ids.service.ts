import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { StoreSetting } from './store-setting.entity.js';
import { locationAt, type Location } from './locations.js';

/**
 * The targeting values of places in this store. Countries have several: every store accepts all of them, stores and returns
 * one. That is X's, or the derived one where the store is older.
 */
@Injectable()
export class LocationIds implements OnModuleInit {
  private areDerived = false;

  constructor(private readonly db: DataSource) {}

  /** The setting never changes, so every process reads it once. */
  async onModuleInit(): Promise<void> {
    this.areDerived = await this.db.manager.existsBy(StoreSetting, { name: 'location_ids', value: 'derived' });
  }

  /** The value of a place. */
  of({ value, otherValues = [] }: Location): string {
    return this.areDerived ? value : (otherValues[0] ?? value);
  }

  /** The value of the place that has this one, in any case; what no place has stays as it is. */
  canonical(value: string): string {
    const place = locationAt(value.toLowerCase());
    return place ? this.of(place) : value;
  }

  /** A place with its value in this store. */
  withId(place: Location): Location {
    const value = this.of(place);
    return value === place.value ? place : { ...place, value };
  }
}
