import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, NameIndex, TimestampColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import type { AdsEnvironment } from '../../common/http/urls/public-urls.js';
import { defineResource } from '../resource-definition.js';

export const INDUSTRY_TYPES = closedSet('IndustryType', [
  'AGENCY',
  'BUSINESS_TO_BUSINESS',
  'ONLINE_SERVICES',
  'EDUCATION',
  'FINANCIAL',
  'HEALTH',
  'GOVERNMENT',
  'MEDIA',
  'MOBILE',
  'RESTAURANT',
  'RETAIL',
  'TECHNOLOGY',
  'TRAVEL',
  'OTHER',
]);
export type IndustryType = (typeof INDUSTRY_TYPES)[number];

export const ACCOUNT_APPROVALS = closedSet('AccountApproval', ['ACCEPTED', 'UNDER_REVIEW', 'REJECTED']);
export type AccountApproval = (typeof ACCOUNT_APPROVALS)[number];

/** An advertiser's account. */
@Entity('accounts')
@NameIndex('accounts_name', ['name', 'id'])
@Index('accounts_of_clock', ['clockId', 'id'], { where: '"clockId" IS NOT NULL' })
export class Account extends Resource {
  @Column({ type: 'varchar' }) environment: AdsEnvironment;
  @IdColumn({ nullable: true }) businessId: string | null;
  @Column({ type: 'varchar' }) name: string;
  @Column({ type: 'varchar' }) timezone: string;
  /** When the current time zone took effect; null in the sandbox. */
  @TimestampColumn({ nullable: true }) timezoneSwitchAt: Date | null;
  @Column({ type: 'varchar', default: 'OTHER' }) industryType: IndustryType;
  /** An ISO 3166-1 alpha-2 code; null if it is not known. */
  @Column({ type: 'varchar', nullable: true }) countryCode: string | null;
  @Column({ type: 'varchar', default: 'ACCEPTED' }) approvalStatus: AccountApproval;
  /** Keys of beta and limited features, in alphabetical order. */
  @Column({ type: 'varchar', array: true, default: '{}' }) features: string[];
  /** The test clock that freezes its time. */
  @IdColumn({ nullable: true }) clockId: string | null;
  /** The time of that clock; null without one. */
  @TimestampColumn({ nullable: true }) frozenTime: Date | null;
  /** Whether that clock is advancing. Requests then change nothing. */
  @Column({ type: 'boolean', default: false }) clockAdvancing: boolean;
}

/** Resources of a deleted account stay unchanged. They cannot be read, and none can be added. */
export const ACCOUNTS = defineResource<Account>({
  entity: Account,
  name: 'ACCOUNT',
  label: 'Account',
  parameter: 'account_id',
  accountColumn: 'id',
  notFound: (_what, _parameter, id) => accountNotFound(id),
});

/** A company to which several accounts belong. Its accounts can share audiences. */
@Entity('businesses')
export class Business extends Resource {
  @Column({ type: 'varchar' }) name: string;
}
