import { Ids } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { LineItemApp } from './line-item-app.entity.js';

export class ListLineItemApps extends ListQuery(LineItemApp, { sortable: ['created_at', 'updated_at', 'deleted'] }) {
  /** Filters by line item ids. */
  @Ids() line_item_ids?: string[];
  /** Filters by line item app ids. */
  @Ids() line_item_app_ids?: string[];
}
