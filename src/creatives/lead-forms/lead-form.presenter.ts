import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { present } from '../../common/http/answers/present.js';
import { ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema, UUID } from '../../common/http/params/fields.js';
import { MAX_URL_LENGTH } from '../web-url.js';
import { LEAD_FIELD_KEYS, LEAD_FORMS, type LeadFieldKey, type LeadForm } from './lead-form.entity.js';

const HTTPS = { maxLength: MAX_URL_LENGTH, example: 'https://example.com/privacy' };
const HEADLINE = { minLength: 1, maxLength: 190 };
const DESCRIPTION = { maxLength: 1_000, required: false };

/** The first page of a lead form. */
export class LeadIntroductionView {
  /** The headline. */
  @ApiProperty(HEADLINE) headline: string;
  /** The text below the headline. */
  @ApiProperty(DESCRIPTION) description?: string;
}

/** A field of a lead form. */
export class LeadFieldView {
  /** What the field asks for. */
  @ApiProperty(enumSchema(LEAD_FIELD_KEYS)) @Unescaped() key: LeadFieldKey;
  /** Whether people may leave the field empty. */
  @ApiProperty({ default: false, required: false }) optional: boolean;
}

/** The privacy policy that a lead form names. */
export class PrivacyPolicyView {
  /** The https URL of the policy. */
  @ApiProperty(HTTPS) url: string;
  /** The company that receives the answers. */
  @ApiProperty({ minLength: 1, maxLength: 255 }) company_name: string;
}

/** The button of the last page of a lead form. */
export class LeadButtonView {
  /** The https URL that the button opens. */
  @ApiProperty(HTTPS) url: string;
  /** The text of the button. */
  @ApiProperty({ minLength: 1, maxLength: 100 }) title: string;
}

/** The last page of a lead form, after the answers. */
export class FinalPageView {
  /** The headline. */
  @ApiProperty(HEADLINE) headline: string;
  /** The text below the headline. */
  @ApiProperty(DESCRIPTION) description?: string;
  /** A button. */
  @ApiProperty({ type: LeadButtonView, required: false }) cta_button?: LeadButtonView;
}

/** A form in which people leave their contact details. The response of a deletion omits its pages and fields. */
export class LeadFormView extends ResourceView {
  /** The id. */
  @ApiProperty({ type: String, pattern: UUID.pattern.source }) @Unescaped() declare id: string;
  /** The name, visible only to the account. */
  @ApiProperty() name: string;
  /** What the answers are for. */
  @ApiProperty() purpose: string;
  /** The first page; absent if unset. */
  @ApiProperty({ type: LeadIntroductionView, required: false }) introduction?: LeadIntroductionView;
  /** The fields in display order. */
  @ApiProperty({ type: LeadFieldView, isArray: true, required: false }) fields?: LeadFieldView[];
  /** The privacy policy. */
  @ApiProperty({ type: PrivacyPolicyView, required: false }) privacy_policy?: PrivacyPolicyView;
  /** The last page; absent if unset. */
  @ApiProperty({ type: FinalPageView, required: false }) final_page?: FinalPageView;
}

export const presentLeadForm = (form: Row<LeadForm>): LeadFormView =>
  present(LeadFormView, form, {
    introduction: form.introduction ?? undefined,
    fields: form.fields,
    privacy_policy: form.privacyPolicy,
    final_page: form.finalPage ?? undefined,
  });

/** The response of a deletion. */
export const presentArchivedLeadForm = (form: Row<LeadForm>): LeadFormView =>
  present(LeadFormView, form, {
    introduction: undefined,
    fields: undefined,
    privacy_policy: undefined,
    final_page: undefined,
  });

recordAs(LEAD_FORMS, LeadFormView, presentLeadForm);
