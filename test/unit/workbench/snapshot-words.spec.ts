import { getMetadataArgsStorage } from 'typeorm';
import { valuesOf } from '../../../src/common/entity/columns.js';
import { referenceOf, textKindOf } from '../../../src/common/entity/snapshots.js';
import '../../../src/entities.js';
import {
  readSnapshotFile,
  type ColumnShape,
  type TableShapes,
} from '../../../src/workbench/snapshots/snapshot-file.rules.js';
import { snapshotTables, type SnapshotTable } from '../../../src/workbench/snapshots/snapshot-tables.js';

type Column = ColumnShape & { isId: boolean; isReference: boolean };

function columnsOf(entity: SnapshotTable['entity']): Column[] {
  const isOf = (target: unknown) => entity === target || entity.prototype instanceof (target as typeof Object);
  return getMetadataArgsStorage()
    .columns.filter(({ target }) => isOf(target))
    .map(({ propertyName: name, options }) => ({
      name,
      type: typeof options.type === 'string' ? options.type : 'timestamptz',
      isArray: options.array === true,
      isNullable: options.nullable === true,
      values: valuesOf(entity, name),
      text: textKindOf(entity, name),
      isReference: referenceOf(entity, name) !== undefined,
      isId: options.collation === 'C',
    }));
}

const TABLES = snapshotTables().map(({ entity }) => ({ name: entity.name, columns: columnsOf(entity) }));
const isText = ({ type }: Column) => type === 'varchar' || type === 'text';
const WORDS = TABLES.flatMap(({ name, columns }) =>
  columns.flatMap((column) => (column.values ? [{ table: name, columns, column, values: column.values }] : [])),
);

/** The words that a declaration lists. */
const wordsIn = (what: string) => /one of (.+)$/.exec(what)?.[1].split(', ');

describe('the words of snapshot files', () => {
  it('are declared for every text that is not an id or a text of people', () => {
    const open = TABLES.flatMap(({ name: table, columns }) =>
      columns
        .filter((column) => isText(column) && !column.values && !column.text)
        .filter(({ isId, isReference }) => !isId && !isReference)
        .map(({ name }) => `${table}.${name}`),
    );
    expect(open).toEqual([]);
    expect(WORDS.length).toBeGreaterThan(30);
  });

  const sampleOf = ({ type, text, isArray, isNullable, values }: ColumnShape): unknown => {
    if (isNullable) return null;
    if (isArray) return [];
    if (values) return wordsIn(values.what)?.find(values.holds) ?? [0, 'USD'].find(values.holds);
    const samples: Record<string, unknown> = {
      timestamptz: '2026-10-01T08:00:00Z',
      boolean: true,
      bytea: `\\x${'00'.repeat(32)}`,
      json: {},
    };
    return samples[type] ?? (isText({ type } as Column) ? (text === 'url' ? 'https://a' : 'a') : 1);
  };

  it.each(WORDS.map((each) => [`${each.table}.${each.column.name}`, each] as const))(
    '%s takes them and nothing else',
    (_, { table, columns, column, values }) => {
      const shapes: TableShapes = new Map([[table, columns]]);
      const row = Object.fromEntries(columns.map((each) => [each.name, sampleOf(each)]));
      const read = (given: unknown) => {
        const rows = [{ ...row, accountId: 'a', [column.name]: column.isArray ? [given] : given }];
        if (!columns.some(({ name }) => name === 'accountId')) delete (rows[0] as Partial<(typeof rows)[0]>).accountId;
        const accounts = [{ account_id: 'a', tables: { [table]: rows } }];
        return readSnapshotFile({ format: 'marquee-snapshot', version: 1, accounts }, shapes, { accounts: 1, rows: 1 });
      };
      const right = sampleOf({ ...column, isNullable: false, isArray: false });
      expect(read(right).accounts).toHaveLength(1);
      for (const wrong of ['NO_SUCH_WORD', 'toString', 99])
        expect(() => read(wrong)).toThrow(
          `Expected ${column.isArray ? 'a list, each ' : ''}${values.what} for accounts[0].tables.${table}[0].${column.name}, got ${JSON.stringify(wrong)}`,
        );
    },
  );
});
