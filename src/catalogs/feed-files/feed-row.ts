import { declaredFields } from '../../common/http/params/dto-metadata.js';
import { SentProduct } from '../products/products.dto.js';

/** A row of a file. */
export interface FeedRow {
  /** Its number: in CSV and TSV the header is row 1, in XML the first item is. */
  number: number;
  /** The attributes of products that it has. Empty ones are absent. */
  values: Record<string, string | string[]>;
  /** Why it cannot be read, as a sentence. */
  problem?: string;
}

/** The rows of a file while it arrives. */
export interface FeedRows {
  rows: AsyncIterable<FeedRow>;
  /** Names that are no attributes of products, at most 20 of those that have been read. */
  ignored: ReadonlySet<string>;
}

/** A file cannot be fetched or read. The message is a sentence for its user. */
export class FeedFailure extends Error {
  constructor(
    message: string,
    /** Whether another attempt may succeed. */
    readonly isPassing = false,
  ) {
    super(message);
  }
}

/** Longer than what any attribute allows. */
export const MAX_VALUE_LENGTH = 25_000;
const MAX_IGNORED = 20;
const MAX_NAME_LENGTH = 64;

const ATTRIBUTES: ReadonlySet<string> = new Set(declaredFields(SentProduct.prototype).map(({ name }) => name));

/** The attribute of a column or an element, such as `image_link` for `g:image_link` and `Image Link`; undefined without one. */
export function attributeOf(name: string): string | undefined {
  const attribute = name.trim().toLowerCase().replace(/^g:/, '').replaceAll(/[ -]/g, '_');
  return ATTRIBUTES.has(attribute) ? attribute : undefined;
}

/** Notes a name that is no attribute. X generates `product_key`. */
export function noteIgnored(ignored: Set<string>, name: string): void {
  if (ignored.size < MAX_IGNORED && name !== '' && name !== 'product_key')
    ignored.add(name.slice(0, MAX_NAME_LENGTH).toWellFormed());
}
