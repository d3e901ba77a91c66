import { ApiProperty } from '@nestjs/swagger';
import { present, presenterWithout } from '../../common/http/answers/present.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, ResourceView, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import {
  ACCOUNTS,
  ACCOUNT_APPROVALS,
  Account,
  INDUSTRY_TYPES,
  type AccountApproval,
  type IndustryType,
} from '../entities/account.entity.js';
import { recordAs } from '../resource-definition.js';

export class AccountView extends ResourceView {
  /** The account's name. */
  @ApiProperty() name: string;
  /** The name of the account's business; null if it has none. */
  @ApiProperty({ type: String, nullable: true }) business_name: string | null;
  /** The id of the account's business; null if it has none. */
  @ApiProperty({ ...ID, nullable: true }) business_id: string | null;
  /** The time zone in which the account's days begin. */
  @ApiProperty({ example: 'America/Los_Angeles' }) timezone: string;
  /** When the time zone took effect; null in the sandbox. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() timezone_switch_at: string | null;
  /** Whether the account may advertise. */
  @ApiProperty(enumSchema(ACCOUNT_APPROVALS)) @Unescaped() approval_status: AccountApproval;
  /** The advertiser's industry. */
  @ApiProperty(enumSchema(INDUSTRY_TYPES)) @Unescaped() industry_type: IndustryType;
  /** The advertiser's country, as an ISO 3166-1 alpha-2 code; null if it is not known. No request sets it. */
  @ApiProperty({ type: String, nullable: true, example: 'US' }) country_code: string | null;
}

/** An account with the name of its business. */
export type NamedAccount = Row<Account> & { businessName: string | null };

export const presentAccount = (account: NamedAccount): AccountView => present(AccountView, account);

/** The name belongs to the business, and changes with it. History and events have its id, and the features. */
const RECORDED = {
  view: AccountView,
  without: ['business_name'],
  also: { features: { type: 'array', items: { type: 'string' }, description: 'The features of the account.' } },
} as const;

const presentForHistory = presenterWithout(AccountView, RECORDED.without);

/** An account as history and events have it. */
export const recordedAccount = (account: Row<Account>) => presentForHistory(account, { features: account.features });

recordAs(ACCOUNTS, RECORDED, recordedAccount);
