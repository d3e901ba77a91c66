type Json = Record<string, unknown>;

/** What an assistant needs to fill in an argument. The service checks the rest, and says what is wrong. */
const KEPT = new Set([
  'type',
  'description',
  'enum',
  'const',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'oneOf',
  'anyOf',
  'allOf',
  '$ref',
]);
/** What holds for all tools, and stands in the instructions of the server. */
const CONVENTIONS =
  / An empty value unsets it\.| In micro-units of the currency: 1,000,000 is one unit\.| ISO 8601, with Z or an offset\.[^.]*\.| Comma-separated\.|\n{0,2}Requires one of the roles [A-Z_, ]+ on the account\./g;
const OF_RESPONSES = /Responses only\.$/;
/** The schema of a value that unsets a field. */
const UNSET = '#/components/schemas/Unset';

/**
 * The schemas of one tool, as short as possible: lists of tools fill the context of an assistant. Objects that the document shares
 * become definitions of the tool; clients do not resolve references into another document.
 */
export class ToolSchemas {
  readonly definitions: Json = {};

  constructor(private readonly shared: Record<string, Json>) {}

  get isUsed(): boolean {
    return Object.keys(this.definitions).length > 0;
  }

  /** A schema, or the one that it refers to. */
  resolved(schema: Json): Json {
    const { $ref, ...own } = schema as { $ref?: string };
    return $ref === undefined ? schema : { ...this.shared[nameOf($ref)], ...own };
  }

  /** The schema of an argument. */
  own(schema: Json): Json {
    const { anyOf, $ref, ...rest } = schema as { anyOf?: Json[]; $ref?: string };
    const settable = anyOf?.filter((each) => each.$ref !== UNSET);
    if (settable?.length === 1) return nullable(this.own({ ...settable[0], ...rest }));
    if ($ref !== undefined && !this.isShared($ref)) return this.own(this.resolved(schema));
    const kept = Object.entries(schema).filter(([keyword]) => KEPT.has(keyword));
    return Object.fromEntries(kept.map(([keyword, value]) => [keyword, this.ownValue(keyword, value)]));
  }

  private ownValue(keyword: string, value: unknown): unknown {
    if (keyword === '$ref') return this.define(value as string);
    if (keyword === 'description') return shortened(value as string);
    if (keyword === 'properties') return this.ownMembers(value as Record<string, Json>);
    if (typeof value === 'object' && (keyword === 'items' || keyword === 'additionalProperties'))
      return this.own(value as Json);
    return /Of$/.test(keyword) ? (value as Json[]).map((each) => this.own(each)) : value;
  }

  private ownMembers(members: Record<string, Json>): Json {
    const sent = Object.entries(members).filter(([, { description }]) => !OF_RESPONSES.test(String(description)));
    return Object.fromEntries(sent.map(([name, each]) => [name, this.own(each)]));
  }

  private isShared(ref: string): boolean {
    const { type, oneOf, anyOf, allOf } = this.shared[nameOf(ref)];
    return type === 'object' || oneOf !== undefined || anyOf !== undefined || allOf !== undefined;
  }

  private define(ref: string): string {
    const name = nameOf(ref);
    if (!Object.hasOwn(this.definitions, name)) {
      this.definitions[name] = {};
      this.definitions[name] = this.own(this.shared[name]);
    }
    return `#/$defs/${name}`;
  }
}

/** A description without what the instructions say. */
export const shortened = (description: string): string => description.replace(CONVENTIONS, '');

/** The same, or null. */
const nullable = (schema: Json): Json => ({
  ...schema,
  ...(schema.type !== undefined && { type: [...new Set([schema.type, 'null'].flat())] }),
  ...(schema.enum !== undefined && { enum: [...(schema.enum as unknown[]), null] }),
});

const nameOf = (ref: string): string => ref.split('/').at(-1)!;
