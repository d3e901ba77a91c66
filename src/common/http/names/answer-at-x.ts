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
}

type Translate = (value: unknown) => unknown;
type Fields = Record<string, unknown>;

/**
 * The schema of the same answer with X's names, and what turns an answer into one of that schema. The schema says which
 * fields differ, so that all others cost nothing.
 */
export const schemaAtX = (schema: object): { schema: object; translate: Translate } => ({
  schema: renamed(schema),
  translate: translatorOf(schema, '') ?? ((answer) => answer),
});

function renamed(schema: Schema): Schema {
  const { properties, required, items } = schema;
  const kept = Object.entries(properties ?? {}).filter(([name]) => !ONLY_OURS.includes(name));
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(kept.map(([name, own]) => [swapName(name), renamed(own)])) }),
    ...(required && { required: required.filter((name) => !ONLY_OURS.includes(name)).map(swapName) }),
    ...(items && { items: renamed(items) }),
  };
}

/** What translates values of a schema; undefined if they are the same in both vocabularies. */
function translatorOf(schema: Schema, name: string): Translate | undefined {
  const { type, properties, items, additionalProperties } = schema;
  if (type === 'string')
    return hasWords(name) ? (value) => (typeof value === 'string' ? swapText(name, value) : value) : undefined;
  if (type === 'number' || type === 'boolean') return undefined;
  if (type === 'array' && items) {
    const translate = translatorOf(items, name);
    return translate && ((value) => (Array.isArray(value) ? value.map(translate) : value));
  }
  if (type !== 'object' || !properties || additionalProperties !== undefined) return (value) => swapJson(value, name);
  return objectTranslatorOf(properties);
}

function objectTranslatorOf(properties: Record<string, Schema>): Translate | undefined {
  const changes = Object.entries(properties).flatMap(([name, own]) => {
    const translate = translatorOf(own, name);
    const to = swapName(name);
    return translate || to !== name ? [{ name, to, translate: translate ?? ((value: unknown) => value) }] : [];
  });
  if (changes.length === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    // the serializer leaves out what its schema does not have
    const copy: Fields = { ...value };
    for (const { name, to, translate } of changes) {
      const own = copy[name];
      if (own !== undefined) copy[to] = translate(own);
    }
    return copy;
  };
}
