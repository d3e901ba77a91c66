import { getMetadataArgsStorage } from 'typeorm';
import { referenceOf } from '../../../src/common/entity/snapshots.js';
import '../../../src/entities.js';
import { isKnownType } from '../../../src/workbench/snapshots/snapshot-file.rules.js';
import { snapshotTables } from '../../../src/workbench/snapshots/snapshot-tables.js';

const COLUMNS = snapshotTables().flatMap(({ entity, name: table }) => {
  const isOf = (target: unknown) => entity === target || entity.prototype instanceof (target as typeof Object);
  return getMetadataArgsStorage()
    .columns.filter(({ target }) => isOf(target))
    .map(({ propertyName: name, options }) => ({
      table,
      name,
      type: typeof options.type === 'string' ? options.type : 'timestamptz',
      isId: options.collation === 'C' || name.endsWith('Id') || name.endsWith('Ids') || name.endsWith('Keys'),
      reference: referenceOf(entity, name),
    }));
});

describe('the references of snapshot files', () => {
  it('are all declared: an import compares each with what the file has or what the account may name', () => {
    const words = new Set(['id', 'accountId', 'kind', 'cardType', 'targetingType']);
    const open = COLUMNS.filter(({ isId, name, reference }) => isId && !words.has(name) && !reference);
    expect(open.map(({ table, name }) => `${table}.${name}`)).toEqual([]);
  });

  it('name tables of snapshots', () => {
    const names = snapshotTables().map(({ name }) => name);
    const named = snapshotTables().flatMap(({ rowReferences }) => rowReferences.flatMap(({ tables }) => tables));
    expect(names).toEqual(expect.arrayContaining(named));
    expect(named).toEqual(expect.arrayContaining(['campaigns', 'delivery_audiences']));
  });

  it('have values of known types', () => {
    expect(COLUMNS.filter(({ type }) => !isKnownType(type))).toEqual([]);
  });
});
