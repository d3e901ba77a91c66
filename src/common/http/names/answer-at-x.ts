import fastJson from 'fast-json-stringify';
import { swapJson } from '../../../names/swap-json.js';
import { hasWords, swapName, swapText } from '../../../names/swap.js';
import { ONLY_OURS } from '../../../names/table.js';

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
  /** Set by `@Shared`. */
  shared?: true;
}

type Write = (value: unknown) => string;
type Fields = Record<string, unknown>;

/**
 * Compiles the serializer of a schema with X's names. fast-json-stringify writes what is the same in both vocabularies, from
 * the same objects, so that only the fields that differ cost more. Copies of the objects with other names would cost
 * several times as much as writing them.
 */
export const compileAtX = (schema: object): Write => writerOf(schema, '') ?? serializerOf(schema);

const serializerOf = (schema: object): Write => fastJson(schema);

/** What writes values of a schema; undefined if they are the same in both vocabularies. `name`: the field. */
function writerOf(schema: Schema, name: string): Write | undefined {
  const { type, properties, items, additionalProperties } = schema;
  if (type === 'number' || type === 'boolean') return undefined;
  if (type === 'string') {
    if (!hasWords(name)) return undefined;
    return (value) => JSON.stringify(typeof value === 'string' ? swapText(name, value) : value);
  }
  if (type === 'array' && items) {
    const write = writerOf(items, name);
    return write && ((value) => (Array.isArray(value) ? `[${value.map(write).join()}]` : JSON.stringify(value)));
  }
  if (type !== 'object' || !properties || additionalProperties !== undefined)
    return (value) => JSON.stringify(swapJson(value, name));
  return objectWriterOf(schema, properties);
}

/** Consecutive fields that are the same, or one that differs. */
type Part = { serialize: Write } | { name: string; key: string; write: Write };

function objectWriterOf(schema: Schema, properties: Record<string, Schema>): Write | undefined {
  const parts = partsOf(schema, properties);
  if (!parts.some((part) => 'key' in part)) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return 'null';
    let text = '';
    for (const part of parts) {
      const own = 'key' in part ? fieldOf(value as Fields, part) : part.serialize(value).slice(1, -1);
      if (own !== '') text += text === '' ? own : `,${own}`;
    }
    return `{${text}}`;
  };
}

function fieldOf(fields: Fields, { name, key, write }: Extract<Part, { key: string }>): string {
  const value = fields[name];
  return value === undefined ? '' : key + write(value);
}

/** The fields in the order of fast-json-stringify: the required ones first. */
function partsOf({ required = [] }: Schema, properties: Record<string, Schema>): Part[] {
  const names = Object.keys(properties).filter((name) => !ONLY_OURS.includes(name));
  const ordered = [
    ...names.filter((name) => required.includes(name)),
    ...names.filter((name) => !required.includes(name)),
  ];
  const parts: Part[] = [];
  let same: string[] = [];
  const endSame = () => {
    const own = same;
    if (own.length > 0)
      parts.push({
        serialize: serializerOf({
          type: 'object',
          properties: Object.fromEntries(own.map((name) => [name, properties[name]])),
          required: own.filter((name) => required.includes(name)),
        }),
      });
    same = [];
  };
  for (const name of ordered) {
    const schema = properties[name];
    const [to, write] = [swapName(name), writerOf(schema, name)];
    if (to === name && !write && !schema.shared) same.push(name);
    else {
      endSame();
      const own = write ?? serializerOf(schema);
      parts.push({ name, key: `${JSON.stringify(to)}:`, write: schema.shared ? remembering(own) : own });
    }
  }
  endSame();
  return parts;
}

/** Writes an object that successive items share once. */
function remembering(write: Write): Write {
  let last: unknown;
  let text = '';
  return (value) => {
    if (value !== last) [last, text] = [value, write(value)];
    return text;
  };
}
