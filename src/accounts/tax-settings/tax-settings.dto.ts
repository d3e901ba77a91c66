import { Example } from '../../common/http/params/dto-metadata.js';
import { OneOf, Text } from '../../common/http/params/fields.js';
import { Country, Email } from '../contact-fields.js';
import {
  BILL_TO,
  BUSINESS_RELATIONSHIPS,
  INVOICE_JURISDICTIONS,
  TAX_CATEGORIES,
  type BillTo,
  type BusinessRelationship,
  type InvoiceJurisdiction,
  type TaxCategory,
} from './tax-settings.entity.js';

/** A line of an address, or a number. An empty value removes it. */
const Line = () => Text({ nullable: true, visible: true, max: 255 });

@Example({
  address_name: 'Northwind Coffee LLC',
  address_street1: '1 Main Street',
  address_city: 'Portland',
  address_country: 'US',
  bill_to: 'ADVERTISER',
  tax_category: 'BUSINESS_NO_VAT',
})
export class UpdateTaxSettings {
  /** The name of the company of the advertiser. */
  @Line() address_name?: string | null;
  /** The first name of the contact of the advertiser. */
  @Line() address_first_name?: string | null;
  /** The last name of the contact of the advertiser. */
  @Line() address_last_name?: string | null;
  /** The first line of the street of the advertiser. */
  @Line() address_street1?: string | null;
  /** The second line of the street of the advertiser. */
  @Line() address_street2?: string | null;
  /** The city of the advertiser. */
  @Line() address_city?: string | null;
  /** The state or region of the advertiser. */
  @Line() address_region?: string | null;
  /** The postal code of the advertiser. */
  @Line() address_postal_code?: string | null;
  /** The country, as an ISO 3166-1 alpha-2 code of the advertiser. */
  @Country() address_country?: string | null;
  /** The e-mail address of the advertiser. */
  @Email() address_email?: string | null;
  /** The name of the company of the client for whom an agency advertises. */
  @Line() client_address_name?: string | null;
  /** The first name of the contact of the client for whom an agency advertises. */
  @Line() client_address_first_name?: string | null;
  /** The last name of the contact of the client for whom an agency advertises. */
  @Line() client_address_last_name?: string | null;
  /** The first line of the street of the client for whom an agency advertises. */
  @Line() client_address_street1?: string | null;
  /** The second line of the street of the client for whom an agency advertises. */
  @Line() client_address_street2?: string | null;
  /** The city of the client for whom an agency advertises. */
  @Line() client_address_city?: string | null;
  /** The state or region of the client for whom an agency advertises. */
  @Line() client_address_region?: string | null;
  /** The postal code of the client for whom an agency advertises. */
  @Line() client_address_postal_code?: string | null;
  /** The country, as an ISO 3166-1 alpha-2 code of the client for whom an agency advertises. */
  @Country() client_address_country?: string | null;
  /** The e-mail address of the client for whom an agency advertises. */
  @Email() client_address_email?: string | null;
  /** Who receives the invoices. */
  @OneOf(BILL_TO, { optional: true }) bill_to?: BillTo;
  /** Whether the account advertises for itself or for a client. */
  @OneOf(BUSINESS_RELATIONSHIPS, { nullable: true }) business_relationship?: BusinessRelationship | null;
  /** The law that rules the invoices. */
  @OneOf(INVOICE_JURISDICTIONS, { optional: true }) invoice_jurisdiction?: InvoiceJurisdiction;
  /** Who pays taxes. */
  @OneOf(TAX_CATEGORIES, { nullable: true }) tax_category?: TaxCategory | null;
  /** The number under which the advertiser pays taxes. */
  @Line() tax_id?: string | null;
  /** The number under which the advertiser is exempt from taxes. */
  @Line() tax_exemption_id?: string | null;
}
