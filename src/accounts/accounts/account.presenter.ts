import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID, presentResource, ResourceView, TIME, Unescaped } from '../../common/http/answers/responses.js';
import {
  ACCOUNT_APPROVALS,
  INDUSTRY_TYPES,
  type Account,
  type AccountApproval,
  type IndustryType,
} from '../entities/account.entity.js';

export class AccountListView extends ResourceView {
  /** What the account is called. */
  @ApiProperty() name: string;
  /** What the business that it belongs to is called; null where it belongs to none. */
  @ApiProperty({ type: String, nullable: true }) business_name: string | null;
  /** The id of the business. */
  @ApiProperty({ ...ID, nullable: true }) business_id: string | null;
  /** The time zone in which its days begin. */
  @ApiProperty({ example: 'America/Los_Angeles' }) timezone: string;
  /** Since when the time zone holds; null in the sandbox. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() timezone_switch_at: string | null;
  /** Whether the account may advertise. */
  @ApiProperty(enumSchema(ACCOUNT_APPROVALS)) @Unescaped() approval_status: AccountApproval;
}

/** Single reads and updates also say the industry. */
export class AccountView extends AccountListView {
  /** What its advertiser does. */
  @ApiProperty(enumSchema(INDUSTRY_TYPES)) @Unescaped() industry_type: IndustryType;
}

/** An account with the name of its business. */
export type NamedAccount = Row<Account> & { businessName: string | null };

export const presentListedAccount = (account: NamedAccount): AccountListView =>
  presentResource(account, {
    name: account.name,
    business_name: account.businessName,
    business_id: account.businessId,
    timezone: account.timezone,
    timezone_switch_at: wireTime(account.timezoneSwitchAt),
    approval_status: account.approvalStatus,
  });

export const presentAccount = (account: NamedAccount): AccountView => ({
  industry_type: account.industryType,
  ...presentListedAccount(account),
});
