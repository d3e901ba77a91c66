import { Example } from '../../common/http/params/dto-metadata.js';
import { codePointLength, Expect } from '../../common/http/params/constraints.js';
import { Field, Id, Int, Timestamp, Uuid, type Kind } from '../../common/http/params/fields.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { isObject } from '../../common/values/is-object.js';
import { LEAD_FIELD_KEYS } from '../../creatives/lead-forms/lead-form.entity.js';
import type { LeadValues } from '../../creatives/leads/lead.entity.js';

const MAX_VALUE_LENGTH = 1_000;

const isKey = (key: string): boolean => (LEAD_FIELD_KEYS as readonly string[]).includes(key);
const isValue = (value: unknown): boolean =>
  typeof value === 'string' &&
  value !== '' &&
  codePointLength(value) <= MAX_VALUE_LENGTH &&
  !value.includes('\0') &&
  value.isWellFormed();
const isValues = (given: unknown): boolean =>
  isObject(given) && Object.entries(given).every(([key, value]) => isKey(key) && isValue(value));

/** Names the key alone: values are about people, and not repeated. */
function refused(_: unknown, place: string, given: unknown): ApiError {
  if (!isObject(given)) return invalid(place, `Expected a JSON object for ${place}`);
  const other = Object.keys(given).find((key) => !isKey(key));
  if (other !== undefined)
    return invalid(place, `Expected keys of fields in ${place}, got ${quotedValue(other)}`, {
      value: other,
      details: `any of ${LEAD_FIELD_KEYS.join(', ')}`,
    });
  const key = Object.keys(given).find((each) => !isValue(given[each]));
  return invalid(place, `Expected a text of 1 to ${MAX_VALUE_LENGTH} characters for ${key} in ${place}`, {
    details: 'without NUL and half a surrogate pair',
  });
}

/** An object, or its JSON as a form has it. */
const values: Kind = {
  convert: (given) => {
    if (typeof given !== 'string') return given;
    try {
      return JSON.parse(given) as unknown;
    } catch {
      return given;
    }
  },
  constraints: () => [
    Expect(`a JSON object with texts of 1 to ${MAX_VALUE_LENGTH} characters by the keys of fields`, isValues, {
      error: refused,
    }),
  ],
};

/** A submission of a lead form. */
@Example({ account_id: '{sandbox_account_id}', lead_form_id: '{sandbox_lead_form_id}' })
export class SubmitLead {
  /** A sandbox account of which the user who signs is an administrator. */
  @Id() account_id: string;

  /** A lead form of the account that is not archived. */
  @Uuid() lead_form_id: string;

  /** A JSON object with values by the keys of the form's fields. Fields without one are invented. */
  @Field(values, { optional: true }, { type: String, example: '{"EMAIL":"ann@example.com"}' })
  field_values?: LeadValues;

  /** A line item that promotes a post with a card that leads to the form. Without it, the lead has no campaign. */
  @Id({ optional: true }) line_item_id?: string;

  /** When it happens: by default now. At most 90 days ago by the clock of the account, and not in the future. */
  @Timestamp({ exact: true, optional: true }) time?: string;
}

/** The leads of an account that were stored last. */
@Example({ account_id: '{sandbox_account_id}' })
export class ListLeads {
  /** A sandbox account of which the user who signs is an administrator. */
  @Id({ example: '2k0hx5m1q9zta' }) account_id: string;

  /** Only the leads of this form. */
  @Uuid({ optional: true }) lead_form_id?: string;

  /** Maximum number of leads. */
  @Int({ optional: true, min: 1, max: 1_000, default: 100 }) max_results = 100;
}
