import { Entity, Index } from 'typeorm';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, SpecialReference, TextColumn } from '../../common/entity/snapshots.js';
import { closedSet } from '../../common/values/closed-set.js';
import { defineResource } from '../resource-definition.js';

export const BILL_TO = closedSet('BillTo', ['ADVERTISER', 'AGENCY', 'NOT_SET']);
export type BillTo = (typeof BILL_TO)[number];

export const BUSINESS_RELATIONSHIPS = closedSet('BusinessRelationship', ['AGENCY', 'SELF']);
export type BusinessRelationship = (typeof BUSINESS_RELATIONSHIPS)[number];

export const INVOICE_JURISDICTIONS = closedSet('InvoiceJurisdiction', ['LOI_SAPIN', 'NONE', 'NOT_SET']);
export type InvoiceJurisdiction = (typeof INVOICE_JURISDICTIONS)[number];

export const TAX_CATEGORIES = closedSet('TaxCategory', ['BUSINESS_NO_VAT', 'BUSINESS_WITH_VAT', 'INDIVIDUAL']);
export type TaxCategory = (typeof TAX_CATEGORIES)[number];

/** The index that gives an account one row. */
const ONE = 'tax_settings_of_account';

/** Who an account bills and taxes. An account has a row once somebody set something. */
@Entity('tax_settings')
@InSnapshots()
@Index(ONE, ['accountId'], { unique: true, where: '"deletedAt" IS NULL' })
export class TaxSettings extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @WordColumn(BILL_TO) billTo: BillTo;
  @WordColumn(BUSINESS_RELATIONSHIPS, { nullable: true }) businessRelationship: BusinessRelationship | null;
  @WordColumn(INVOICE_JURISDICTIONS) invoiceJurisdiction: InvoiceJurisdiction;
  @WordColumn(TAX_CATEGORIES, { nullable: true }) taxCategory: TaxCategory | null;
  @TextColumn({ nullable: true }) @SpecialReference('a number of a tax office') taxId: string | null;
  @TextColumn({ nullable: true }) @SpecialReference('a number of a tax office') taxExemptionId: string | null;
  @TextColumn({ nullable: true }) addressName: string | null;
  @TextColumn({ nullable: true }) addressFirstName: string | null;
  @TextColumn({ nullable: true }) addressLastName: string | null;
  @TextColumn({ nullable: true }) addressStreet1: string | null;
  @TextColumn({ nullable: true }) addressStreet2: string | null;
  @TextColumn({ nullable: true }) addressCity: string | null;
  @TextColumn({ nullable: true }) addressRegion: string | null;
  @TextColumn({ nullable: true }) addressPostalCode: string | null;
  @TextColumn({ nullable: true }) addressCountry: string | null;
  @TextColumn({ nullable: true }) addressEmail: string | null;
  @TextColumn({ nullable: true }) clientAddressName: string | null;
  @TextColumn({ nullable: true }) clientAddressFirstName: string | null;
  @TextColumn({ nullable: true }) clientAddressLastName: string | null;
  @TextColumn({ nullable: true }) clientAddressStreet1: string | null;
  @TextColumn({ nullable: true }) clientAddressStreet2: string | null;
  @TextColumn({ nullable: true }) clientAddressCity: string | null;
  @TextColumn({ nullable: true }) clientAddressRegion: string | null;
  @TextColumn({ nullable: true }) clientAddressPostalCode: string | null;
  @TextColumn({ nullable: true }) clientAddressCountry: string | null;
  @TextColumn({ nullable: true }) clientAddressEmail: string | null;
}

/** Columns that may name a person. */
export const NAMING_COLUMNS = [
  'addressName',
  'addressFirstName',
  'addressLastName',
  'addressStreet1',
  'addressStreet2',
  'clientAddressName',
  'clientAddressFirstName',
  'clientAddressLastName',
  'clientAddressStreet1',
  'clientAddressStreet2',
  'addressEmail',
  'clientAddressEmail',
] as const;

/** Of two first writes one creates the row, and the other runs again and finds it. Nobody deletes it. */
export const TAX_SETTINGS = defineResource<TaxSettings>({
  entity: TaxSettings,
  name: 'TAX_SETTINGS',
  label: 'Tax Settings',
  parameter: 'account_id',
  uniques: [{ index: ONE, columns: [] }],
});
