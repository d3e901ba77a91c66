import { getMetadataArgsStorage } from 'typeorm';
import { ENTITIES } from '../../../src/entities.js';
import { NOT_IN_SNAPSHOTS, SNAPSHOT_TABLES } from '../../../src/workbench/snapshots/snapshot-tables.js';

/** The names of the columns of an entity, with those of the classes that it extends. */
function columnsOf(entity: (typeof ENTITIES)[number]): string[] {
  const { columns } = getMetadataArgsStorage();
  const isOf = (target: unknown) => entity === target || entity.prototype instanceof (target as typeof Object);
  return columns.filter(({ target }) => isOf(target)).map(({ propertyName }) => propertyName);
}

describe('the tables of snapshots', () => {
  const saved = new Set(SNAPSHOT_TABLES.map(({ entity }) => entity));

  it.each(ENTITIES.filter((each) => columnsOf(each).includes('accountId')).map((each) => [each.name, each] as const))(
    '%s belongs to accounts: it is in snapshots, or there is a reason why not',
    (name, entity) => {
      expect([saved.has(entity), Object.hasOwn(NOT_IN_SNAPSHOTS, name)].filter(Boolean)).toEqual([true]);
    },
  );

  it('has no reasons for entities that do not exist', () => {
    const names = new Set(ENTITIES.map(({ name }) => name));
    expect(Object.keys(NOT_IN_SNAPSHOTS).filter((name) => !names.has(name))).toEqual([]);
  });

  it('only sets columns that the entities have', () => {
    for (const { entity, owner, restored = {} } of SNAPSHOT_TABLES)
      expect(columnsOf(entity)).toEqual(expect.arrayContaining([owner, ...Object.keys(restored)]));
  });
});
