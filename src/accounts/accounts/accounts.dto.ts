import { Example } from '../../common/http/params/dto-metadata.js';
import { Ids, OneOf, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { Account, INDUSTRY_TYPES, type IndustryType } from '../entities/account.entity.js';

export class ListAccounts extends ListQuery(Account) {
  /** Only accounts with these ids. */
  @Ids() account_ids?: string[];
  /** Name prefix, case-insensitive. */
  @Text({ optional: true, min: 1, max: 255 }) q?: string;
}

@Example({ name: 'Northwind Coffee', industry_type: 'RESTAURANT' })
export class UpdateAccount {
  /** The account's name. */
  @Text({ visible: true, optional: true, min: 1, max: 255 }) name?: string;
  /** The advertiser's industry. */
  @OneOf(INDUSTRY_TYPES, { optional: true }) industry_type?: IndustryType;
}
