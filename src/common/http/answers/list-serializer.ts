import fastJson from 'fast-json-stringify';

const INITIAL_BYTES = 1 << 20;
/** A larger buffer is released after use. */
const MAX_KEPT_BYTES = 8 << 20;
const MAX_BYTES_PER_UNIT = 3;

/** Collects text as UTF-8 in a buffer that it keeps for the next answer: new memory costs more than writing to it. */
class ByteWriter {
  private bytes?: Buffer;
  private length = 0;

  /** Number of bytes written since `start`. */
  get position(): number {
    return this.length;
  }

  /** Forgets what was written. */
  start(): void {
    this.length = 0;
    if (!this.bytes || this.bytes.length > MAX_KEPT_BYTES) this.bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  }

  write(text: string): void {
    const bytes = this.withRoomFor(text.length * MAX_BYTES_PER_UNIT);
    this.length += bytes.write(text, this.length);
  }

  /** Writes bytes again that are already there. */
  repeat(from: number, to: number): void {
    this.withRoomFor(to - from).copyWithin(this.length, from, to);
    this.length += to - from;
  }

  /** Takes back the last character, an ASCII one. */
  takeBack(): void {
    this.length--;
  }

  /** Replaces an ASCII character by another. */
  replace(at: number, character: string): void {
    this.bytes![at] = character.charCodeAt(0);
  }

  /** A copy of what was written. */
  copy(): Buffer {
    return Buffer.from(this.bytes!.subarray(0, this.length));
  }

  private withRoomFor(size: number): Buffer {
    if (this.length + size > this.bytes!.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (this.length + size));
      this.bytes!.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    return this.bytes!;
  }
}

const SHARED = Symbol('shared');

/**
 * For a required property of a View, beside @ApiProperty: an object that most items of a list share. The serializer
 * writes it once for successive items that have the same object, and copies its bytes.
 */
export const Shared = (): PropertyDecorator => (prototype, name) =>
  Reflect.defineMetadata(SHARED, true, prototype, name);

/** Whether a property is `@Shared`. */
export const isShared = (prototype: object, name: string): boolean => Reflect.hasMetadata(SHARED, prototype, name);

/** The schema of an object, as `schemaOf` and the envelopes declare it. */
interface ObjectSchema {
  type?: unknown;
  properties?: Record<string, PropertySchema>;
  required?: string[];
  additionalProperties?: unknown;
}

interface PropertySchema extends ObjectSchema {
  nullable?: boolean;
  items?: PropertySchema;
  /** Set by `@Shared`. */
  shared?: true;
}

type Fields = Record<string, unknown>;
type WriteItem = (item: Fields, isFirst: boolean) => void;
/** Compiles with the first value: a service has hundreds of schemas, and its start needs none of them. */
function compile(schema: object): (value: unknown) => string {
  let serialize: ((value: unknown) => string) | undefined;
  return (value) => {
    serialize ??= fastJson(schema);
    return serialize(value);
  };
}

/** A list with fewer items is written as one text, like every other answer. */
const MIN_ITEMS = 20;

const writer = new ByteWriter();

/**
 * Compiles a serializer. If items have a `@Shared` property, those of a long list are written one by one
 * into bytes, and successive items with the same value copy the bytes of that property. The bytes are those of
 * fast-json-stringify.
 */
export function compileSerializer(schema: object): (answer: unknown) => string | Buffer {
  const serialize = compile(schema);
  if (!isListSchema(schema)) return serialize;
  let serializeList: ((answer: Fields, items: Fields[]) => Buffer) | undefined;
  return (answer) => {
    const items = (answer as Fields | null)?.data;
    if (!Array.isArray(items) || items.length < MIN_ITEMS) return serialize(answer);
    serializeList ??= compileList(schema);
    return serializeList(answer as Fields, items as Fields[]);
  };
}

/** Whether it is an envelope with a list in `data`, whose items have a shared property. */
function isListSchema({ properties, required, additionalProperties }: ObjectSchema): boolean {
  const data = properties?.data;
  const isPlain = required === undefined && additionalProperties === undefined;
  return isPlain && data?.type === 'array' && data.items !== undefined && sharedPropertyOf(data.items) !== undefined;
}

function compileList(schema: ObjectSchema): (answer: Fields, items: Fields[]) => Buffer {
  const [before, after] = splitAt(schema, 'data');
  const [serializeBefore, serializeAfter] = [before, after].map(compile);
  const item = schema.properties!.data.items!;
  const compileItem = compileSharing(item);
  return (answer, items) => {
    writer.start();
    const head = serializeBefore(answer);
    writer.write(`${head === '{}' ? '{' : `${head.slice(0, -1)},`}"data":[`);
    const writeItem = compileItem();
    for (let i = 0; i < items.length; i++) writeItem(items[i], i === 0);
    const tail = serializeAfter(answer);
    writer.write(tail === '{}' ? ']}' : `],${tail.slice(1)}`);
    return writer.copy();
  };
}

/** The shared property of items; undefined without one, and when it is the first or last property or may be absent. */
function sharedPropertyOf({ properties = {}, required = [], nullable }: PropertySchema): string | undefined {
  const at = required.findIndex((each) => properties[each]?.shared);
  return nullable || at < 1 || at === required.length - 1 ? undefined : required[at];
}

/** Writes items with a shared property. */
function compileSharing(schema: PropertySchema): () => WriteItem {
  const { properties = {} } = schema;
  const name = sharedPropertyOf(schema)!;
  const parts = splitAt(schema, name);
  const [serializeBefore, serializeAfter] = parts.map(compile);
  const serializeShared = compile(properties[name]);
  const key = `,${JSON.stringify(name)}:`;
  return () => {
    let previous: unknown;
    let from = 0;
    let to = 0;
    return (item, isFirst) => {
      writer.write(isFirst ? serializeBefore(item) : `,${serializeBefore(item)}`);
      // what follows overwrites the closing brace
      writer.takeBack();
      const value = item[name];
      if (value === previous) writer.repeat(from, to);
      else {
        from = writer.position;
        writer.write(key + serializeShared(value));
        to = writer.position;
        previous = value;
      }
      const opening = writer.position;
      writer.write(serializeAfter(item));
      writer.replace(opening, ',');
    };
  };
}

/** The properties before and after one, in the order of fast-json-stringify: the required ones first. */
function splitAt({ properties = {}, required = [], additionalProperties }: ObjectSchema, name: string) {
  if (additionalProperties !== undefined) throw new Error('A schema with other properties has no order');
  const names = Object.keys(properties);
  const ordered = [
    ...names.filter((each) => required.includes(each)),
    ...names.filter((each) => !required.includes(each)),
  ];
  const at = ordered.indexOf(name);
  return [ordered.slice(0, at), ordered.slice(at + 1)].map((part) => ({
    type: 'object' as const,
    properties: Object.fromEntries(part.map((each) => [each, properties[each]])),
    required: part.filter((each) => required.includes(each)),
  }));
}
