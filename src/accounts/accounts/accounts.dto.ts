import { Ids, OneOf, Text } from '../../common/http/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { Account, INDUSTRY_TYPES, type IndustryType } from './account.entity.js';

export class ListAccounts extends ListQuery(Account) {
  @Ids() account_ids?: string[];
  @Text({ optional: true, min: 1, max: 255, about: 'the beginning of a name, without case' }) q?: string;
}

/** Part 3, 4.1. */
export class UpdateAccount {
  @Text({ optional: true, min: 1, max: 255, about: 'what the account is called' }) name?: string;
  @OneOf(INDUSTRY_TYPES, { optional: true, about: 'what its advertiser does' }) industry_type?: IndustryType;
}
