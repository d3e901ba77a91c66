import type { ParameterObject, SchemaObject } from '@nestjs/swagger';
import type { Operation } from './operation.js';

type Parameter = ParameterObject & { schema?: SchemaObject };

/** What has to be given comes first, and what is only an id is said to be one. */
export function describeParameters(operation: Operation): void {
  if (!operation.parameters) return;
  const rank = ({ in: place, required }: Parameter) => (place === 'path' ? 0 : required ? 1 : 2);
  operation.parameters = parametersOf(operation).sort((one, other) => rank(one) - rank(other));
  for (const parameter of parametersOf(operation)) {
    parameter.description ||= aboutId(parameter.name);
    if (parameter.in === 'query' && isList(parameter)) Object.assign(parameter, COMMA_SEPARATED);
  }
}

/** How lists are sent (Part 1, 2.1 (9)). */
const COMMA_SEPARATED = { style: 'form', explode: false } as const;

const isList = ({ schema }: Parameter) => schema?.type === 'array';

/** A page carries `total_count` only where the list can be asked for it. */
export function describeTotal(operation: Operation): void {
  if (parametersOf(operation).some(({ name }) => name === 'with_total_count')) return;
  for (const response of Object.values(operation.responses)) {
    const schema = 'content' in response! ? response.content?.['application/json']?.schema : undefined;
    if (schema && 'properties' in schema) delete schema.properties?.total_count;
  }
}

function aboutId(name: string): string | undefined {
  if (name === 'account_id') return 'the ad account, one of `GET /12/accounts`';
  return name.endsWith('_id') ? `the id of the ${name.slice(0, -'_id'.length).replaceAll('_', ' ')}` : undefined;
}

/**
 * Part 1, 2.1 (2): POST and PUT take parameters from the query or from a form body. So each is described in both places,
 * and required in neither alone.
 */
export function describeForm(method: string, operation: Operation): void {
  const parameters = parametersOf(operation).filter((parameter) => parameter.in === 'query');
  if (!['post', 'put'].includes(method) || operation.requestBody || parameters.length === 0) return;
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const lists = parameters.filter(isList);
  operation.requestBody = {
    description: 'The parameters may come here or in the query.',
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, fieldOf(method, parameter)])),
          ...(required.length > 0 && { required }),
        },
        ...(lists.length > 0 && { encoding: Object.fromEntries(lists.map(({ name }) => [name, COMMA_SEPARATED])) }),
      },
    },
  };
  for (const parameter of parameters) {
    const { nullable: _, ...schema } = parameter.schema ?? {};
    parameter.schema = schema;
    parameter.required = false;
    if (required.includes(parameter.name)) {
      parameter.description = joined('required, here or in the form body', parameter.description);
    }
  }
}

/** In a form nothing is null: what stands for it is an empty value, on PUT. */
function fieldOf(method: string, { schema, description }: Parameter): SchemaObject {
  const { nullable, ...field } = schema ?? {};
  const about = joined(description, nullable && method === 'put' ? 'an empty value unsets it' : undefined);
  return { ...field, ...(about && { description: about }) };
}

const parametersOf = ({ parameters = [] }: Operation) => parameters as Parameter[];
const joined = (...pieces: (string | undefined)[]) => pieces.filter(Boolean).join('; ');
