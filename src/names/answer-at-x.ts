import { compileSerializer } from '../common/http/answers/list-serializer.js';
import { swapJson } from './swap-json.js';
import { hasWords } from './swap.js';
import { NAMES, ONLY_OURS } from './table.js';

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

type Serialize = (answer: unknown) => string | Buffer;
type Translate = (value: unknown) => unknown;
type Fields = Record<string, unknown>;

const isOurs = (name: string) => ONLY_OURS.includes(name);
const nameAtX = (name: string) => (Object.hasOwn(NAMES, name) ? NAMES[name as keyof typeof NAMES] : name);

/** Compiles the serializer of an answer, and when the first AnswerAtX is written, that with X's names. */
export function compileInBothVocabularies(schema: object): Serialize {
  const serialize = compileSerializer(schema);
  let serializeAtX: Serialize | undefined;
  return (answer) => {
    if (!(answer instanceof AnswerAtX)) return serialize(answer);
    serializeAtX ??= compileAtX(schema);
    return serializeAtX(answer.answer);
  };
}

function compileAtX(schema: object): Serialize {
  const serialize = compileSerializer(schemaAtX(schema));
  const translate = translatorOf(schema);
  return translate ? (answer) => serialize(translate(answer)) : serialize;
}

/** A schema with X's names, without the fields that X has nothing like. */
function schemaAtX(schema: Schema): Schema {
  const { properties, required, items } = schema;
  const kept = Object.entries(properties ?? {}).filter(([name]) => !isOurs(name));
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(kept.map(([name, own]) => [nameAtX(name), schemaAtX(own)])) }),
    ...(required && { required: required.filter((name) => !isOurs(name)).map(nameAtX) }),
    ...(items && { items: schemaAtX(items) }),
  };
}

/**
 * What gives an answer X's names and words; undefined if all are the same. An object is not copied, since with other names V8
 * takes several times as long: a view has X's names and reads the fields of the object.
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
  const fields = Object.entries(properties).map(([own, property]) => ({
    own,
    atX: nameAtX(own),
    translate: translatorOf(property, own),
  }));
  if (!fields.some(({ own, atX, translate }) => translate || own !== atX)) return undefined;
  const View = viewOf(fields);
  return (value) => (typeof value === 'object' && value !== null ? new View(value as Fields) : value);
}

interface Field {
  own: string;
  atX: string;
  translate: Translate | undefined;
}

function viewOf(fields: Field[]): new (object: Fields) => object {
  class View {
    constructor(readonly object: Fields) {}
  }
  for (const { own, atX, translate } of fields) {
    const get = translate
      ? function (this: View) {
          const value = this.object[own];
          return value === undefined ? undefined : translate(value);
        }
      : function (this: View) {
          return this.object[own];
        };
    Object.defineProperty(View.prototype, atX, { get });
  }
  return View;
}
