import { Column, Entity } from 'typeorm';
import { APP_EVENT_OS_TYPES, type AppEventOsType } from '../../app-measurement/app-event-tags/app-event-tag.entity.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { NotInSnapshots, RefersTo, TextColumn } from '../../common/entity/snapshots.js';

/**
 * An app of a line item: its iOS app or its Android app. A view over line items, whose columns are all that is stored. The id is
 * that of the line item and `i` or `a`, so that apps have the order of the line items. The times are those of the line item.
 */
@Entity('line_item_apps', { synchronize: false })
@NotInSnapshots('a view over line items, which snapshots have')
export class LineItemApp extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @RefersTo('line_items') lineItemId: string;
  @TextColumn() appStoreIdentifier: string;
  @WordColumn(APP_EVENT_OS_TYPES) osType: AppEventOsType;
  /** The campaign of the line item is deleted. */
  @Column({ type: 'boolean' }) campaignDeleted: boolean;
}
