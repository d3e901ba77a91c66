import { Flag, Read, Text, Whole } from '../http/fields.js';
import { expected, InvalidValue } from '../http/invalid-value.js';
import { readSeveral, readText, type Reader } from '../http/readers.js';

export interface ListRules {
  /** Page size when none is asked, and the largest one. */
  count?: number;
  max?: number;
  /** Attributes that `sort_by` takes, in the specification's names. */
  sortable?: readonly string[];
}

/** What `page()` needs to know of a request. */
export interface PageQuery {
  count: number;
  cursor?: string;
  sort_by?: string[];
  with_deleted?: boolean;
  with_total_count?: boolean;
}

const SORTABLE = ['created_at', 'updated_at', 'deleted', 'name'] as const;

/** The parameters that every list takes (Part 1, 2.1 (5-8)), with the bounds of this one. */
export function ListQuery({ count = 200, max = 1000, sortable = SORTABLE }: ListRules = {}) {
  class ListParameters implements PageQuery {
    @Whole({ optional: true, min: 1, max, about: `page size, ${count} unless given` })
    count: number = count;

    @Text({ optional: true, max: 2000, about: 'next_cursor of the page before, with the same other parameters' })
    cursor?: string;

    @Read(
      readSeveral(readSort(sortable)),
      {
        optional: true,
        about: `an attribute with -asc or -desc behind it, or several, comma-separated; attributes: ${sortable.join(', ')}`,
      },
      { type: String },
    )
    sort_by?: string[];

    @Flag({ optional: true, about: 'include deleted items; false unless given' })
    with_deleted?: boolean;

    @Flag({ optional: true, about: 'add total_count; not together with cursor; 200 such requests per 15 minutes' })
    with_total_count?: boolean;
  }
  return ListParameters;
}

/** The parameters that every single read takes. */
export class OneQuery {
  @Flag({ optional: true, about: 'answer a deleted item too; false unless given' })
  with_deleted?: boolean;
}

function readSort(sortable: readonly string[]): Reader<string> {
  const allowed = sortable.flatMap((attribute) => [`${attribute}-asc`, `${attribute}-desc`]);
  return (given, name) => {
    const text = readText()(given, name);
    if (text instanceof InvalidValue) return text;
    return allowed.includes(text) ? text : expected(`a value in ${allowed.join(', ')}`, text, name);
  };
}
