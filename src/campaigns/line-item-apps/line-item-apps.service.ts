import { Injectable } from '@nestjs/common';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import type { Page } from '../../common/http/answers/page.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { lineItemAppNotFound } from '../campaigns.errors.js';
import { LineItemApp } from './line-item-app.entity.js';
import type { ListLineItemApps } from './line-item-apps.dto.js';

/** The id of the line item in that of its app. */
const lineItemOf = (id: string): string => id.slice(0, -1);

/** Reads the apps of line items. `ios_app_store_identifier` and `android_app_store_identifier` of the line items change them. */
@Injectable()
export class LineItemAppsService {
  list(account: AccountReader, query: ListLineItemApps): Promise<Page<Row<LineItemApp>>> {
    const { line_item_ids: lineItems, line_item_app_ids: ids } = query;
    const apps = this.of(account, query).whereIn('lineItemId', lineItems);
    // the line items have an index
    if (ids) apps.whereIn('lineItemId', [...new Set(ids.map(lineItemOf))]).whereIn('id', ids);
    return page(apps, query);
  }

  get(account: AccountReader, id: string, query: OneQuery = {}): Promise<Row<LineItemApp>> {
    const apps = this.of(account, query).where('lineItemId', lineItemOf(id));
    return one(
      apps,
      id,
      (wanted) => lineItemAppNotFound('Line Item App', 'line_item_app_id', wanted, account.id),
      query,
    );
  }

  /** Those of line items that lists return, also of deleted ones if `query` includes them. */
  private of(account: AccountReader, { with_deleted: withDeleted }: OneQuery): Rows<LineItemApp> {
    const apps = rows(account.db, LineItemApp).readBy(account).where('accountId', account.id);
    return withDeleted ? apps : apps.whereTrue('campaignDeleted', false);
  }
}
