import { getMetadataArgsStorage } from 'typeorm';
import { ENTITIES } from '../../../src/entities.js';
import { reasonNotInSnapshots } from '../../../src/common/entity/snapshots.js';
import { snapshotTables } from '../../../src/workbench/snapshots/snapshot-tables.js';

/** The names of the columns of an entity, with those of the classes that it extends. */
function columnsOf(entity: (typeof ENTITIES)[number]): string[] {
  const { columns } = getMetadataArgsStorage();
  const isOf = (target: unknown) => entity === target || entity.prototype instanceof (target as typeof Object);
  return columns.filter(({ target }) => isOf(target)).map(({ propertyName }) => propertyName);
}

describe('the tables of snapshots', () => {
  const saved = new Set(snapshotTables().map(({ entity }) => entity));

  const isOfAccounts = (entity: (typeof ENTITIES)[number]) => columnsOf(entity).includes('accountId');

  it.each(ENTITIES.filter(isOfAccounts).map((each) => [each.name, each] as const))(
    '%s belongs to accounts: it is in snapshots, or there is a reason why not',
    (_, entity) => {
      expect([saved.has(entity), reasonNotInSnapshots(entity) !== undefined].filter(Boolean)).toEqual([true]);
    },
  );

  it('have a reason only for entities with an account', () => {
    const others = ENTITIES.filter((each) => reasonNotInSnapshots(each) !== undefined && !isOfAccounts(each));
    expect(others).toEqual([]);
  });

  it('only sets columns that the entities have', () => {
    for (const { entity, owner, restored, withheld } of snapshotTables())
      expect(columnsOf(entity)).toEqual(
        expect.arrayContaining([owner, ...Object.keys(restored), ...Object.keys(withheld)]),
      );
  });
});
