import { Entity, Index } from 'typeorm';
import { defineResource, limitOfAccount } from '../../accounts/resource-definition.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, TextColumn } from '../../common/entity/snapshots.js';
import { tooManyAppLists } from '../app-measurement.errors.js';

/** A named list of apps that line items can exclude. */
@Entity('app_lists')
@InSnapshots()
@Index('app_lists_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
export class AppList extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @TextColumn() name: string;
  /** Package names of Android, App Store numbers of iOS, in the order in which they were sent. */
  @TextColumn({ array: true }) appStoreIdentifiers: string[];
}

/** A list is created and deleted, never updated. Criteria that name a deleted list stay. */
export const APP_LISTS = defineResource<AppList>({
  entity: AppList,
  name: 'APP_LIST',
  label: 'App List',
  parameter: 'app_list_id',
  limits: [limitOfAccount('app lists', 100, tooManyAppLists)],
});
