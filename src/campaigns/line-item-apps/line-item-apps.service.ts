import { Injectable } from '@nestjs/common';
import type { AccountReader, ActingAccount } from '../../accounts/access/acting-account.js';
import type { AppEventOsType } from '../../app-measurement/app-event-tags/app-event-tag.entity.js';
import { rows, type Row, type Rows } from '../../common/db/query/rows.js';
import { invalid } from '../../common/errors/catalogue.js';
import type { Page } from '../../common/http/answers/page.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { lineItemAppNotFound } from '../campaigns.errors.js';
import { TERMS } from '../entities/line-item.tables.js';
import { LineItemsService } from '../line-items/line-items.service.js';
import { LineItemApp } from './line-item-app.entity.js';
import type { CreateLineItemApp, ListLineItemApps } from './line-item-apps.dto.js';

/** Where a line item has its app of an operating system: its column, its parameter, and the end of the id of the app. */
const PLACES = {
  IOS: { column: 'iosAppStoreIdentifier', parameter: 'ios_app_store_identifier', suffix: 'i' },
  ANDROID: { column: 'androidAppStoreIdentifier', parameter: 'android_app_store_identifier', suffix: 'a' },
} as const satisfies Record<AppEventOsType, unknown>;

/** The id of the line item in that of its app. */
const lineItemOf = (id: string): string => id.slice(0, -1);

/** The apps of line items. They are the fields `ios_app_store_identifier` and `android_app_store_identifier` of the line items. */
@Injectable()
export class LineItemAppsService {
  constructor(private readonly items: LineItemsService) {}

  list(account: AccountReader, query: ListLineItemApps): Promise<Page<Row<LineItemApp>>> {
    const { line_item_ids: lineItems, line_item_app_ids: ids } = query;
    const apps = this.of(account, query).whereIn('lineItemId', lineItems);
    // the line items have an index
    if (ids) apps.whereIn('lineItemId', [...new Set(ids.map(lineItemOf))]).whereIn('id', ids);
    return page(apps, query);
  }

  get(account: AccountReader, id: string, query: OneQuery = {}): Promise<Row<LineItemApp>> {
    const apps = this.of(account, query).where('lineItemId', lineItemOf(id));
    return one(apps, id, notFoundIn(account), query);
  }

  /** Sets the app of a line item; 400 if it has one for the operating system. */
  async create(account: ActingAccount, params: CreateLineItemApp): Promise<Row<LineItemApp>> {
    const { line_item_id: id, os_type: osType, app_store_identifier: app } = params;
    const { column, parameter, suffix } = PLACES[osType];
    const item = await this.items.updateFrom(account, id, ({ [column]: present }) => {
      if (present === null) return { [parameter]: app };
      throw invalid('os_type', `Line item ${id} already has the ${osType} app ${present}`, {
        value: osType,
        details: `DELETE line_item_apps/${id}${suffix} removes it`,
      });
    });
    const { accountId, createdAt, updatedAt, deletedAt, campaignDeleted } = item;
    const shared = { accountId, createdAt, updatedAt, deletedAt, campaignDeleted };
    return { ...shared, id: `${id}${suffix}`, lineItemId: id, appStoreIdentifier: app, osType };
  }

  /** Removes an app from its line item; 400 if the objective of the line item requires it. */
  async delete(account: ActingAccount, id: string): Promise<Row<LineItemApp>> {
    const app = await this.get(account, id);
    const { column, parameter } = PLACES[app.osType];
    const { updatedAt } = await this.items.updateFrom(account, app.lineItemId, (item) => {
      if (item[column] === null) throw notFoundIn(account)(id);
      // the rule of line items would name a parameter that this request does not have
      if (
        TERMS[item.objective].app &&
        Object.values(PLACES).every((each) => each.column === column || !item[each.column])
      )
        throw invalid('line_item_app_id', `${item.objective} requires an app, and ${id} is the last one`, {
          value: id,
          details: `PUT line_items/${item.id} with ${parameter} replaces it`,
        });
      return { [parameter]: null };
    });
    return { ...app, updatedAt, deletedAt: updatedAt };
  }

  /** Those of line items that lists return, also of deleted ones if `query` includes them. */
  private of(account: AccountReader, { with_deleted: withDeleted }: OneQuery): Rows<LineItemApp> {
    const apps = rows(account.db, LineItemApp).readBy(account).where('accountId', account.id);
    return withDeleted ? apps : apps.whereTrue('campaignDeleted', false);
  }
}

const notFoundIn = (account: AccountReader) => (id: string) =>
  lineItemAppNotFound('Line Item App', 'line_item_app_id', id, account.id);
