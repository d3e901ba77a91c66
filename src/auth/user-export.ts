import { exactWireTime } from '../common/db/postgres/stored-times.js';

/**
 * A part of the export of a user: its name in the document, and one object or any number of them, read while they are
 * written.
 */
export type ExportSection = readonly [name: string, content: object | null | AsyncIterable<object>];

/**
 * These columns of a row under their API names. They are listed, so that a new column with a secret is not exported.
 */
export function exportColumns<R extends object>(row: R, columns: readonly (keyof R & string)[]): object {
  return Object.fromEntries(
    columns.map((column) => {
      const value = row[column];
      const isTime = column.endsWith('At') && typeof value === 'string';
      return [column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), isTime ? exactWireTime(value) : value];
    }),
  );
}

/** The same for a stream of rows. */
export async function* exportRows<R extends object>(
  rows: AsyncIterable<R>,
  columns: readonly (keyof R & string)[],
): AsyncGenerator<object> {
  for await (const row of rows) yield exportColumns(row, columns);
}

/** The sections as the text of one JSON object, in chunks: at most one item is in memory. */
export async function* exportText(sections: Iterable<ExportSection>): AsyncGenerator<string> {
  let first = true;
  for (const [name, content] of sections) {
    yield `${first ? '{' : ','}\n  ${JSON.stringify(name)}: `;
    first = false;
    if (content === null || !(Symbol.asyncIterator in content)) {
      yield indented(content, '  ');
      continue;
    }
    let empty = true;
    for await (const item of content) {
      yield `${empty ? '[' : ','}\n    ${indented(item, '    ')}`;
      empty = false;
    }
    yield empty ? '[]' : '\n  ]';
  }
  yield first ? '{}' : '\n}';
}

const indented = (value: object | null, indent: string) =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
