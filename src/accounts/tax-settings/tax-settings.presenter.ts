import { ApiProperty } from '@nestjs/swagger';
import { fieldOf, newColumns } from '../../common/db/query/field-columns.js';
import type { Row } from '../../common/db/query/rows.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { present } from '../../common/http/answers/present.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { recordAs } from '../resource-definition.js';
import {
  BILL_TO,
  BUSINESS_RELATIONSHIPS,
  INVOICE_JURISDICTIONS,
  type NAMING_COLUMNS,
  TAX_CATEGORIES,
  TAX_SETTINGS,
  type BillTo,
  type BusinessRelationship,
  type InvoiceJurisdiction,
  type TaxCategory,
  TaxSettings,
} from './tax-settings.entity.js';

const TEXT = { type: String, nullable: true } as const;

@Noun('tax settings', 'tax settings')
export class TaxSettingsView {
  /** Who receives the invoices. */
  @ApiProperty(enumSchema(BILL_TO)) @Unescaped() bill_to: BillTo;
  /** Whether the account advertises for itself or for a client. */
  @ApiProperty({ ...enumSchema(BUSINESS_RELATIONSHIPS), nullable: true })
  business_relationship: BusinessRelationship | null;
  /** The law that rules the invoices. */
  @ApiProperty(enumSchema(INVOICE_JURISDICTIONS)) @Unescaped() invoice_jurisdiction: InvoiceJurisdiction;
  /** Who pays taxes. */
  @ApiProperty({ ...enumSchema(TAX_CATEGORIES), nullable: true }) tax_category: TaxCategory | null;
  /** The number under which the advertiser pays taxes. */
  @ApiProperty(TEXT) tax_id: string | null;
  /** The number under which the advertiser is exempt from taxes. */
  @ApiProperty(TEXT) tax_exemption_id: string | null;
  /** The name of the company of the advertiser. */
  @ApiProperty(TEXT) address_company: string | null;
  /** The first name of the contact of the advertiser. */
  @ApiProperty(TEXT) address_first_name: string | null;
  /** The last name of the contact of the advertiser. */
  @ApiProperty(TEXT) address_last_name: string | null;
  /** The first line of the street of the advertiser. */
  @ApiProperty(TEXT) address_street1: string | null;
  /** The second line of the street of the advertiser. */
  @ApiProperty(TEXT) address_street2: string | null;
  /** The city of the advertiser. */
  @ApiProperty(TEXT) address_city: string | null;
  /** The state or region of the advertiser. */
  @ApiProperty(TEXT) address_region: string | null;
  /** The postal code of the advertiser. */
  @ApiProperty(TEXT) address_postal_code: string | null;
  /** The country, as an ISO 3166-1 alpha-2 code of the advertiser. */
  @ApiProperty(TEXT) address_country: string | null;
  /** The e-mail address of the advertiser. */
  @ApiProperty(TEXT) address_email: string | null;
  /** The name of the company of the client for whom an agency advertises. */
  @ApiProperty(TEXT) client_address_company: string | null;
  /** The first name of the contact of the client for whom an agency advertises. */
  @ApiProperty(TEXT) client_address_first_name: string | null;
  /** The last name of the contact of the client for whom an agency advertises. */
  @ApiProperty(TEXT) client_address_last_name: string | null;
  /** The first line of the street of the client for whom an agency advertises. */
  @ApiProperty(TEXT) client_address_street1: string | null;
  /** The second line of the street of the client for whom an agency advertises. */
  @ApiProperty(TEXT) client_address_street2: string | null;
  /** The city of the client for whom an agency advertises. */
  @ApiProperty(TEXT) client_address_city: string | null;
  /** The state or region of the client for whom an agency advertises. */
  @ApiProperty(TEXT) client_address_region: string | null;
  /** The postal code of the client for whom an agency advertises. */
  @ApiProperty(TEXT) client_address_postal_code: string | null;
  /** The country, as an ISO 3166-1 alpha-2 code of the client for whom an agency advertises. */
  @ApiProperty(TEXT) client_address_country: string | null;
  /** The e-mail address of the client for whom an agency advertises. */
  @ApiProperty(TEXT) client_address_email: string | null;
  /** The id, which events have; null before anything is set. */
  @ApiProperty({ ...ID, nullable: true }) id: string | null;
  /** When something was set first; null before. */
  @ApiProperty({ ...TIME, nullable: true }) created_at: string | null;
  /** When the settings were last changed; null before. */
  @ApiProperty({ ...TIME, nullable: true }) updated_at: string | null;
}

const NOTHING_SET = {
  ...newColumns(TaxSettings, {}, { accountId: '', billTo: 'NOT_SET', invoiceJurisdiction: 'NOT_SET' } as never),
  ...{ id: null, createdAt: null, updatedAt: null, deletedAt: null },
} as unknown as Row<TaxSettings>;

/** The settings of an account, or those of one that has set nothing. */
export const presentTaxSettings = (settings: Row<TaxSettings> = NOTHING_SET): TaxSettingsView =>
  present(TaxSettingsView, settings, {
    address_company: settings.addressName,
    client_address_company: settings.clientAddressName,
  });

/** The field with the text of a column. */
export const taxFieldOf = (column: (typeof NAMING_COLUMNS)[number]): string =>
  fieldOf(column).replace(/(?<=^(?:client_)?address)_name$/, '_company');

recordAs(TAX_SETTINGS, TaxSettingsView, presentTaxSettings);
