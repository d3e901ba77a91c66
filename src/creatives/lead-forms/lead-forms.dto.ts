import { invalid } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Bool, Field, OneOf, Text } from '../../common/http/params/fields.js';
import { nested, part, partList } from '../../common/http/params/parts.js';
import { ListQuery } from '../../common/list/list-query.js';
import { SecureUrl } from '../web-url.js';
import { LEAD_FIELD_KEYS, LeadForm, type LeadFieldKey } from './lead-form.entity.js';
import { FinalPageView, LeadFieldView, LeadIntroductionView, PrivacyPolicyView } from './lead-form.presenter.js';

class Introduction {
  @Text({ visible: true, max: 190 }) headline: string;
  @Text({ absentIfEmpty: true, max: 1_000 }) description?: string;
}

class FormField {
  @OneOf(LEAD_FIELD_KEYS) key: LeadFieldKey;
  @Bool({ absentIfEmpty: true }) optional?: boolean;
}

class Policy {
  @SecureUrl() url: string;
  @Text({ visible: true, max: 255 }) company_name: string;
}

class Button {
  @SecureUrl() url: string;
  @Text({ visible: true, max: 100 }) title: string;
}

class LastPage extends Introduction {
  @Field(nested(part(Button)), { absentIfEmpty: true }) cta_button?: Button;
}

const introduction = nested(part(Introduction));
const finalPage = nested(part(LastPage));
const privacyPolicy = nested(part(Policy));
const FIELD_COUNT = { min: 1, max: LEAD_FIELD_KEYS.length };
const fields = nested(partList(part(FormField), FIELD_COUNT));
const FIELDS = { type: LeadFieldView, isArray: true, minItems: FIELD_COUNT.min, maxItems: FIELD_COUNT.max } as const;

/** Each key once, and a field that people must fill in. */
function fieldProblems({ fields = [] }: Pick<UpdateLeadForm, 'fields'>) {
  const keys = fields.map(({ key }) => key);
  const repeated = keys.flatMap((key, i) =>
    keys.indexOf(key) === i
      ? []
      : [invalid(`fields[${i}].key`, `Expected each key once in fields, got ${key} again`, { value: key })],
  );
  if (repeated.length > 0 || fields.length === 0 || fields.some(({ optional }) => !optional)) return repeated;
  return [invalid('fields', 'Expected at least one field that is not optional in fields', { value: fields })];
}

export class ListLeadForms extends ListQuery(LeadForm, {
  count: 100,
  max: 200,
  sortable: ['created_at', 'updated_at', 'deleted'],
}) {}

@Example({
  name: 'Tasting',
  purpose: 'Invitations to tastings',
  introduction: { headline: 'Taste our new roast', description: 'Free, each Friday' },
  fields: [{ key: 'FULL_NAME' }, { key: 'EMAIL' }, { key: 'CITY', optional: true }],
  privacy_policy: { url: 'https://example.com/privacy', company_name: 'Northwind Coffee' },
  final_page: { headline: 'Thank you', cta_button: { url: 'https://example.com/menu', title: 'See the menu' } },
})
@Rule(['fields'], fieldProblems)
export class CreateLeadForm {
  /** The name, visible only to the account. */
  @Text({ visible: true, max: 255 }) name: string;
  /** What the answers are for. */
  @Text({ visible: true, max: 1_000 }) purpose: string;
  /** The fields in display order: each key once, at least one not optional. */
  @Field(fields, {}, FIELDS) fields: FormField[];
  /** The privacy policy. */
  @Field(privacyPolicy, {}, { type: PrivacyPolicyView }) privacy_policy: Policy;
  /** The first page. */
  @Field(introduction, { optional: true }, { type: LeadIntroductionView }) introduction?: Introduction;
  /** The last page, after the answers. */
  @Field(finalPage, { optional: true }, { type: FinalPageView }) final_page?: LastPage;
}

@Example({ name: 'Tasting, second season' })
@Rule(['fields'], fieldProblems)
export class UpdateLeadForm {
  /** The name, visible only to the account. */
  @Text({ visible: true, optional: true, max: 255 }) name?: string;
  /** What the answers are for. */
  @Text({ visible: true, optional: true, max: 1_000 }) purpose?: string;
  /** The new fields. They replace all fields. */
  @Field(fields, { optional: true }, FIELDS) fields?: FormField[];
  /** The new privacy policy. */
  @Field(privacyPolicy, { optional: true }, { type: PrivacyPolicyView }) privacy_policy?: Policy;
  /** The new first page. */
  @Field(introduction, { optional: true }, { type: LeadIntroductionView }) introduction?: Introduction;
  /** The new last page. */
  @Field(finalPage, { optional: true }, { type: FinalPageView }) final_page?: LastPage;
}
