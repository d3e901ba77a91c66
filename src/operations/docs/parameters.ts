import type { ParameterObject } from '@nestjs/swagger';
import { BASE_36, DECIMAL, SET_NAME, UUID } from '../../common/http/params/fields.js';
import { described, describeDefault, type DocComments } from './descriptions.js';
import type { Operation } from './operation.js';
import { refTo, type DocumentSchema } from './schemas.js';

type Parameter = ParameterObject & { schema: DocumentSchema };

export const documentParametersOf = ({ parameters = [] }: Operation) => parameters as Parameter[];

/** Keywords that belong to the schema of a parameter but are declared beside it. */
const OF_SCHEMA = ['pattern', 'example', 'x-unique', SET_NAME] as const;

/** Sorts required parameters first, and describes every parameter; ids also get their format. */
export function describeParameters(operation: Operation, models: string[], comments: DocComments): void {
  if (!operation.parameters) return;
  const rank = ({ in: where, required }: Parameter) => (where === 'path' ? 0 : required ? 1 : 2);
  operation.parameters = documentParametersOf(operation).sort((one, other) => rank(one) - rank(other));
  for (const parameter of documentParametersOf(operation)) {
    for (const keyword of OF_SCHEMA) {
      if (!(keyword in parameter)) continue;
      parameter.schema[keyword] = parameter[keyword as keyof Parameter] as unknown;
      delete parameter[keyword as keyof Parameter];
    }
    const { name } = parameter;
    if (!parameter.schema.enum && !parameter.schema.items) parameter.schema.type ??= 'string';
    const comment = models.map((model) => comments.ofMember(model, name)).find(Boolean);
    parameter.description = described(comment, parameter.description) ?? aboutId(name);
    if (parameter.in === 'path' && name.endsWith('_id')) {
      parameter.schema.pattern = patternOf(name);
    }
    if (name === 'snapshot_name') parameter.schema.pattern = SNAPSHOT_NAME;
    if (parameter.in === 'query' && isList(parameter)) Object.assign(parameter, COMMA_SEPARATED);
  }
}

/** Users, posts, cards, webhooks and product catalogs have decimal ids. */
const IS_DECIMAL =
  /^(user|post|draft_post|scheduled_post|card|webhook|job|product_catalog|product_set|scheduled_feed)_id$/;

/** The id of a delivery consists of the ids of its event, its webhook and, for a redelivery, its replay. */
export const DELIVERY_ID = '^[0-9a-z]+-[0-9]+(-[0-9]+)?$';

/** The id of a request in the journal, or an `x-request-id`. */
const REQUEST_ID = '^[A-Za-z0-9][A-Za-z0-9._:-]{7,127}$';

/** The name of a snapshot of the workbench. */
const SNAPSHOT_NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

function patternOf(name: string): string {
  if (name === 'delivery_id') return DELIVERY_ID;
  if (name === 'request_id') return REQUEST_ID;
  if (name === 'lead_form_id' || name === 'export_id') return UUID.pattern.source;
  return (IS_DECIMAL.test(name) ? DECIMAL : BASE_36).pattern.source;
}

/** The format of lists. */
const COMMA_SEPARATED = { style: 'form', explode: false } as const;

const isList = ({ schema }: Parameter) => schema.type === 'array';

function aboutId(name: string): string | undefined {
  if (name === 'account_id') return 'The ad account, one of `GET /12/accounts`.';
  if (name === 'snapshot_name') return 'The name of the snapshot.';
  if (name === 'media_key') return 'The media key of a media item in the library of the account.';
  return name.endsWith('_id') ? `The id of the ${name.slice(0, -'_id'.length).replaceAll('_', ' ')}.` : undefined;
}

/** A page has `total_count` only when the list takes `with_total_count`, or always has a total. */
export function describeTotal(operation: Operation): void {
  if (documentParametersOf(operation).some(({ name }) => name === 'with_total_count')) return;
  for (const response of Object.values(operation.responses)) {
    const schema = 'content' in response! ? response.content?.['application/json']?.schema : undefined;
    if (!schema || !('properties' in schema) || schema.required?.includes('total_count')) continue;
    delete schema.properties?.total_count;
  }
}

const FORM = 'application/x-www-form-urlencoded';

/**
 * POST and PUT take parameters from the query or from a form body. The document describes them once, as the form, and
 * marks them with `x-also-in-query`. The schema of the form is added to `schemas`.
 */
export function describeForm(method: string, operation: Operation, schemas: Record<string, DocumentSchema>): void {
  const parameters = documentParametersOf(operation).filter((parameter) => parameter.in === 'query');
  if (!['post', 'put'].includes(method) || operation.requestBody || parameters.length === 0) return;
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const lists = parameters.filter(isList);
  const id = operation.operationId!;
  const name = `${id[0].toUpperCase()}${id.slice(1)}Form`;
  schemas[name] = {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((parameter) => [parameter.name, fieldOf(method, parameter, schemas)]),
    ),
    ...(required.length > 0 && { required }),
  };
  operation.requestBody = {
    description: 'The parameters can be in the query instead.',
    ...(required.length > 0 && { required: true }),
    'x-also-in-query': true,
    content: {
      [FORM]: {
        schema: { $ref: refTo(name) },
        ...(lists.length > 0 && { encoding: Object.fromEntries(lists.map((list) => [list.name, COMMA_SEPARATED])) }),
      },
    },
  } as Operation['requestBody'];
  operation.parameters = documentParametersOf(operation).filter((parameter) => parameter.in !== 'query');
}

/** A form has no null: on PUT an empty value represents it. */
function fieldOf(
  method: string,
  { schema, description }: Parameter,
  schemas: Record<string, DocumentSchema>,
): DocumentSchema {
  const { nullable, ...rest } = schema;
  const field: DocumentSchema = { ...rest, description };
  describeDefault(field);
  if (!nullable || method !== 'put') return field;
  const about = described(description, 'An empty value unsets it.');
  if (field.type === 'string' && !field.enum && !field.format && !field.pattern)
    return { ...field, description: about };
  schemas.Unset = { type: 'string', const: '', description: 'The empty value that unsets a field.' };
  const alone = { ...rest };
  delete alone.default;
  return { anyOf: [alone, { $ref: refTo('Unset') }], description: about };
}
