import { Injectable } from '@nestjs/common';
import { changedColumns, newColumns } from '../../common/db/query/field-columns.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ActingAccount } from '../access/acting-account.js';
import { Resources } from '../resources/resources.service.js';
import type { UpdateTaxSettings } from './tax-settings.dto.js';
import { TAX_SETTINGS, TaxSettings } from './tax-settings.entity.js';

/** Reads and changes the tax settings of accounts. */
@Injectable()
export class TaxSettingsService {
  constructor(private readonly resources: Resources) {}

  /** The settings; undefined if nobody has set any. */
  get(account: ActingAccount): Promise<Row<TaxSettings> | undefined> {
    return this.resources.of(account, TAX_SETTINGS).getOne();
  }

  update(account: ActingAccount, params: UpdateTaxSettings): Promise<Row<TaxSettings> | undefined> {
    const { bill_to: billTo = 'NOT_SET', invoice_jurisdiction: invoiceJurisdiction = 'NOT_SET' } = params;
    const changed = changedColumns(TaxSettings, params, {});
    return this.resources.changeLocked(account, TAX_SETTINGS, [], async (unit) => {
      const [settings] = await unit.lock([account.id], { column: 'accountId' });
      if (settings) return unit.update(settings.id, changed);
      if (Object.keys(changed).length === 0) return undefined;
      const others = { accountId: account.id, billTo, invoiceJurisdiction };
      return unit.create(newColumns(TaxSettings, params, others));
    });
  }
}
