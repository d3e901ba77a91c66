import { getMetadataArgsStorage } from 'typeorm';
import { ACTORS, MEDIA_KEYS, PROMOTED, REFERENCES } from '../../../src/workbench/snapshots/new-ids.rules.js';
import { OUTSIDE, POSTS } from '../../../src/workbench/snapshots/import-references.service.js';
import { isKnownType } from '../../../src/workbench/snapshots/snapshot-file.rules.js';
import { SNAPSHOT_TABLES } from '../../../src/workbench/snapshots/snapshot-tables.js';

/** Columns of texts that look like ids, and lists of them, that refer to nothing that is listed, and why. */
const OTHERS: Record<string, string> = {
  'account_media.file': 'an import compares it with the uploads of the library',
  'audience_sizings.madeOf': 'an import computes it from the segments of the audience',
  'custom_audiences.partnerSource': 'it is only shown',
  'library_media.contentType': 'an import compares it with the upload',
  'library_media.file': 'an import compares it with the upload',
  'library_media.posterFile': 'an import compares it with the uploads of the library',
  'line_items.categories': 'an import compares them with the IAB categories',
  'targeting_criteria.targetingValue': 'StoredCriteria compares it, by its type',
};

interface Column {
  table: string;
  name: string;
  type: string;
  isId: boolean;
}

const { columns, tables } = getMetadataArgsStorage();
const COLUMNS: Column[] = SNAPSHOT_TABLES.flatMap(({ entity }) => {
  const isOf = (target: unknown) => entity === target || entity.prototype instanceof (target as typeof Object);
  const table = tables.find(({ target }) => target === entity)!.name!;
  return columns
    .filter(({ target }) => isOf(target))
    .map(({ propertyName: name, options }) => ({
      table,
      name,
      type: typeof options.type === 'string' ? options.type : 'timestamptz',
      isId: options.collation === 'C' || name.endsWith('Id') || name.endsWith('Ids') || name.endsWith('Keys'),
    }));
});

/** Whether one of the lists has a column. */
const isListed = ({ table, name }: Column) =>
  [ACTORS, MEDIA_KEYS, PROMOTED, POSTS, OUTSIDE].some((list) => list[table]?.includes(name)) ||
  Object.hasOwn(REFERENCES[table] ?? {}, name);

describe('the references of snapshot files', () => {
  it('are all listed: an import compares each with what the file has or what the account may name', () => {
    const words = new Set(['kind', 'cardType', 'targetingType']);
    const open = COLUMNS.filter(({ isId, name }) => isId && name !== 'id' && name !== 'accountId' && !words.has(name))
      .filter((column) => !isListed(column) && !Object.hasOwn(OTHERS, `${column.table}.${column.name}`))
      .map(({ table, name }) => `${table}.${name}`);
    expect(open).toEqual([]);
  });

  it('are columns that exist', () => {
    const known = new Set(COLUMNS.map(({ table, name }) => `${table}.${name}`));
    const listed = [
      ...Object.entries(REFERENCES).flatMap(([table, names]) => Object.keys(names).map((name) => `${table}.${name}`)),
      ...[ACTORS, MEDIA_KEYS, PROMOTED, POSTS, OUTSIDE].flatMap((list) =>
        Object.entries(list).flatMap(([table, names]) => names.map((name) => `${table}.${name}`)),
      ),
      ...Object.keys(OTHERS),
    ];
    expect(listed.filter((name) => !known.has(name))).toEqual([]);
    expect(Object.values(REFERENCES).flatMap((names) => Object.values(names).flat())).toEqual(
      expect.arrayContaining(['campaigns', 'delivery_audiences']),
    );
  });

  it('have values of known types', () => {
    expect(COLUMNS.filter(({ type }) => !isKnownType(type))).toEqual([]);
  });
});
