import fastJson from 'fast-json-stringify';
import { NAMES, ONLY_OURS } from '../../../names/table.js';
import { swapJson } from '../../../names/swap-json.js';
import { hasWords } from '../../../names/swap.js';

/** An answer that is written with X's names. Without a serializer of its route, `JSON.stringify` writes it. */
export class AnswerAtX {
  constructor(readonly answer: unknown) {}

  toJSON(): unknown {
    return swapJson(JSON.parse(JSON.stringify(this.answer)));
  }
}

/** The schema of a serializer. */
interface Schema {
  type?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
  items?: Schema;
}

type Translate = (value: unknown) => unknown;
type Fields = Record<string, unknown>;

/** A schema without the fields that X has nothing like. */
export function schemaAtX(schema: Schema): Schema {
  const { properties, required, items } = schema;
  const kept = Object.entries(properties ?? {}).filter(([name]) => !ONLY_OURS.includes(name));
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(kept.map(([name, own]) => [name, schemaAtX(own)])) }),
    ...(required && { required: required.filter((name) => !ONLY_OURS.includes(name)) }),
    ...(items && { items: schemaAtX(items) }),
  };
}

/**
 * Compiles a serializer that reads our fields and writes X's keys: that of fast-json-stringify, with other keys in its code.
 * Objects with other names would take V8 several times as long. A test compares what it writes for every kind of field.
 */
export function compileWithKeysOfX(schema: object): (value: unknown) => string {
  const { code, validator, serializer } = fastJson(schema as fastJson.Schema, { mode: 'debug' }) as unknown as {
    code: string;
    validator: unknown;
    serializer: unknown;
  };
  const renamed = code.replace(/\\"(\w+)\\":/g, (key, name: string) =>
    Object.hasOwn(NAMES, name) ? `\\"${NAMES[name as keyof typeof NAMES]}\\":` : key,
  );
  // as the library itself does; the code comes from our schemas alone
  const compiled = new Function('validator', 'serializer', renamed) as (
    ...parts: unknown[]
  ) => (value: unknown) => string;
  return compiled(validator, serializer);
}

/**
 * What gives an answer X's words, and X's names in values without a schema; undefined if all are the same. Objects are
 * copied, since others may share them; copies have the same fields, so that V8 treats them as the originals.
 */
export function translatorOf(schema: Schema, name = ''): Translate | undefined {
  const { type, properties, items, additionalProperties } = schema;
  if (type === 'number' || type === 'boolean') return undefined;
  if (type === 'string' || (type === 'array' && items?.type === 'string'))
    return hasWords(name) ? (value) => swapJson(value, name) : undefined;
  if (type === 'array' && items) {
    const translate = translatorOf(items, name);
    return translate && ((value) => (Array.isArray(value) ? value.map(translate) : value));
  }
  if (type !== 'object' || !properties || additionalProperties !== undefined) return (value) => swapJson(value, name);
  const changes = Object.entries(properties).flatMap(([own, property]) => {
    const translate = translatorOf(property, own);
    return translate ? [{ own, translate }] : [];
  });
  if (changes.length === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const copy: Fields = { ...value };
    for (const { own, translate } of changes) if (copy[own] !== undefined) copy[own] = translate(copy[own]);
    return copy;
  };
}
