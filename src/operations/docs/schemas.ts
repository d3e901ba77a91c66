import { SET_NAME } from '../../common/http/params/fields.js';

/** The subset of JSON Schema that the document uses. */
export interface DocumentSchema {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, DocumentSchema>;
  required?: string[];
  items?: DocumentSchema;
  enum?: (string | null)[];
}

export const refTo = (name: string) => `#/components/schemas/${name}`;

/**
 * A schema in the form of OpenAPI 3.1, which is JSON Schema: null is a type, `examples` is a list, and keywords beside
 * a `$ref` apply. Closed sets move to `sets` under their names, and schemas with these words refer to them.
 */
export function modern(schema: DocumentSchema, sets: Record<string, DocumentSchema>): DocumentSchema {
  const { nullable, example, [SET_NAME]: name, ...rest } = schema;
  const result: DocumentSchema = mapInnerSchemas(rest, (each) => modern(each, sets));
  if (example !== undefined) result.examples = [example];
  // Otherwise generators treat it as an object without fields.
  if (result.type === 'object' && !result.properties) result.additionalProperties ??= true;
  if (Array.isArray(result.allOf) && result.allOf.length === 1) {
    Object.assign(result, result.allOf[0]);
    delete result.allOf;
    delete result.type;
  }
  if (typeof name === 'string') refer(result, name, sets);
  return nullable ? orNull(result) : result;
}

/** A schema whose inner schemas are changed. */
export function mapInnerSchemas(
  schema: DocumentSchema,
  change: (inner: DocumentSchema) => DocumentSchema,
): DocumentSchema {
  const result: DocumentSchema = { ...schema };
  if (result.properties) result.properties = mapped(result.properties, change);
  for (const keyword of ['items', 'additionalProperties', 'not']) {
    const inner = result[keyword];
    if (typeof inner === 'object' && inner !== null) result[keyword] = change(inner as DocumentSchema);
  }
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    if (Array.isArray(result[keyword])) result[keyword] = (result[keyword] as DocumentSchema[]).map(change);
  }
  return result;
}

export const mapped = <T, U>(record: Record<string, T>, change: (value: T, name: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));

function refer(schema: DocumentSchema, name: string, sets: Record<string, DocumentSchema>): void {
  const holder = schema.items ?? schema;
  // Nest adds null to the words; here it is declared beside the reference.
  const words = holder.enum?.filter((word) => word !== null);
  if (!words) return;
  if (sets[name] && sets[name].enum!.join() !== words.join())
    throw new Error(`There are two closed sets called ${name}`);
  sets[name] = { type: 'string', enum: words };
  delete holder.enum;
  delete holder.type;
  holder.$ref = refTo(name);
}

function orNull({ $ref, ...schema }: DocumentSchema): DocumentSchema {
  if ($ref) return { ...schema, anyOf: [{ $ref }, { type: 'null' }] };
  return { ...schema, type: [schema.type as string, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) };
}
