import { Column, Entity, Index } from 'typeorm';
import { defineResource, limitOfAccount } from '../../accounts/resource-definition.js';
import { IdColumn } from '../../common/entity/columns.js';
import { newUuid } from '../../common/entity/ids.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, TextColumn } from '../../common/entity/snapshots.js';
import { closedSet } from '../../common/values/closed-set.js';
import { tooManyLeadForms } from '../creatives.errors.js';

export const LEAD_FIELD_KEYS = closedSet('LeadFieldKey', [
  'CITY',
  'COMPANY_NAME',
  'COUNTRY',
  'DATE_OF_BIRTH',
  'EMAIL',
  'FIRST_NAME',
  'FULL_NAME',
  'GENDER',
  'HANDLE',
  'JOB_TITLE',
  'LAST_NAME',
  'PHONE_NUMBER',
  'STATE',
  'STREET_ADDRESS',
  'WORK_EMAIL',
  'WORK_PHONE_NUMBER',
  'ZIP_CODE',
]);
export type LeadFieldKey = (typeof LEAD_FIELD_KEYS)[number];

/** The content of a form. Keys match requests and responses, so nothing is renamed. */
export interface LeadIntroduction {
  headline: string;
  description?: string;
}

export interface LeadField {
  key: LeadFieldKey;
  optional: boolean;
}

export interface PrivacyPolicy {
  url: string;
  company_name: string;
}

export interface FinalPage extends LeadIntroduction {
  cta_button?: { url: string; title: string };
}

/** A form in which people leave their contact details for the advertiser. */
@Entity('lead_forms')
@InSnapshots()
@Index('lead_forms_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
export class LeadForm extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @TextColumn() name: string;
  @TextColumn() purpose: string;
  @Column({ type: 'json', nullable: true }) introduction: LeadIntroduction | null;
  @Column({ type: 'json' }) fields: LeadField[];
  @Column({ type: 'json' }) privacyPolicy: PrivacyPolicy;
  @Column({ type: 'json', nullable: true }) finalPage: FinalPage | null;
}

/** Deletion archives a form. */
export const LEAD_FORMS = defineResource<LeadForm>({
  entity: LeadForm,
  name: 'LEAD_FORM',
  label: 'Lead Form',
  parameter: 'lead_form_id',
  newId: newUuid,
  limits: [limitOfAccount('lead forms', 1_000, tooManyLeadForms)],
});
