import sax from 'sax';
import { attributeOf, FeedFailure, MAX_VALUE_LENGTH, noteIgnored, type FeedRow, type FeedRows } from './feed-row.js';

const NAMESPACE = 'http://base.google.com/ns/1.0';
const MAX_IMAGES = 100;
const MAX_DEPTH = 100;
const MAX_PREFIXES = 10;
/** The parser keeps those of an element until it ends, however many it has. */
const MAX_ATTRIBUTES = 1_000;
/** Only the five entities of XML. The types lack the option. */
const OPTIONS: sax.SAXOptions & { strictEntities: boolean } = { strictEntities: true };
/** Elements of Atom that RSS calls otherwise. */
const OF_ATOM = new Map([
  ['summary', 'description'],
  ['content', 'description'],
]);

/** Reads the items of RSS 2.0, or the entries of Atom. Entities of a document type are not expanded: they are errors. */
export function xmlRows(text: AsyncIterable<string>): FeedRows {
  const ignored = new Set<string>();
  return { rows: read(text, ignored), ignored };
}

async function* read(text: AsyncIterable<string>, ignored: Set<string>): AsyncGenerator<FeedRow> {
  const items = new Items(ignored);
  for await (const chunk of text) {
    items.write(chunk);
    yield* items.taken();
  }
  items.end();
  yield* items.taken();
  if (items.count === 0)
    throw new FeedFailure('The file has no item elements, as of RSS, and no entry elements, as of Atom.');
}

/** The element of an item that is read. */
interface Field {
  attribute: string;
  /** Whether the namespace of products has its name, which comes before others. */
  isOwn: boolean;
  text: string;
}

class Items {
  count = 0;
  private readonly parser = sax.parser(true, OPTIONS);
  private readonly prefixes = new Set(['g']);
  private ready: FeedRow[] = [];
  private depth = 0;
  private itemDepth = 0;
  private attributes = 0;
  private values?: FeedRow['values'];
  private own = new Set<string>();
  private field?: Field;
  private failure?: FeedFailure;

  constructor(private readonly ignored: Set<string>) {
    this.parser.onerror = () => {
      this.failure ??= new FeedFailure(`The file is not well-formed XML: see line ${this.parser.line + 1}.`);
    };
    this.parser.onattribute = () => this.countAttribute();
    this.parser.onopentag = (tag) => this.open(tag as sax.Tag);
    this.parser.ontext = (part) => this.add(part);
    this.parser.oncdata = (part) => this.add(part);
    this.parser.onclosetag = () => this.close();
  }

  write(chunk: string): void {
    this.parser.write(chunk);
    if (this.failure) throw this.failure;
  }

  end(): void {
    this.parser.close();
    if (this.failure) throw this.failure;
  }

  /** The items that have ended since the last call. */
  taken(): FeedRow[] {
    const { ready } = this;
    this.ready = [];
    return ready;
  }

  private countAttribute(): void {
    if (++this.attributes > MAX_ATTRIBUTES)
      this.failure ??= new FeedFailure(`The file has an element with more than ${MAX_ATTRIBUTES} attributes.`);
  }

  private open({ name, attributes }: sax.Tag): void {
    this.attributes = 0;
    if (++this.depth > MAX_DEPTH) this.failure ??= new FeedFailure(`The file nests more than ${MAX_DEPTH} elements.`);
    if (!this.values) return this.beginItem(name, attributes);
    if (this.depth !== this.itemDepth + 1) return;
    const [prefix, local] = name.includes(':') ? name.split(':') : ['', name];
    const isOwn = this.prefixes.has(prefix);
    if (!isOwn && prefix !== '') return;
    const attribute = attributeOf((!isOwn && OF_ATOM.get(local)) || local);
    if (attribute === undefined) return noteIgnored(this.ignored, name);
    this.field = { attribute, isOwn, text: attribute === 'link' && !isOwn ? linkOf(attributes) : '' };
  }

  private beginItem(name: string, attributes: sax.Tag['attributes']): void {
    for (const [key, value] of Object.entries(attributes))
      if (key.startsWith('xmlns:') && value === NAMESPACE && this.prefixes.size < MAX_PREFIXES)
        this.prefixes.add(key.slice('xmlns:'.length));
    if (!/(^|:)(item|entry)$/.test(name)) return;
    this.values = {};
    this.own = new Set();
    this.itemDepth = this.depth;
  }

  private add(part: string): void {
    if (this.field && this.field.text.length <= MAX_VALUE_LENGTH) this.field.text += part;
  }

  private close(): void {
    this.depth--;
    if (!this.values) return;
    if (this.depth === this.itemDepth) this.endField();
    if (this.depth >= this.itemDepth) return;
    this.ready.push({ number: ++this.count, values: this.values });
    this.values = undefined;
  }

  private endField(): void {
    const { field, own, values } = this;
    this.field = undefined;
    const value = field?.text.trim();
    if (!field || !values || !value) return;
    const { attribute, isOwn } = field;
    if (attribute === 'additional_image_link') {
      const images = ((values[attribute] as string[] | undefined) ?? []).concat(value.split(','));
      values[attribute] = images.slice(0, MAX_IMAGES);
    } else if (!(attribute in values) || (isOwn && !own.has(attribute))) values[attribute] = value;
    if (isOwn) own.add(attribute);
  }
}

/** Atom has links in attributes, and also those of other things. */
const linkOf = ({ href, rel = 'alternate' }: sax.Tag['attributes']): string =>
  href !== undefined && rel === 'alternate' ? href : '';
