const { faultsIn, namesIn } = (await import(
  new URL('../../../scripts/migration-order.mjs', import.meta.url).pathname
)) as {
  namesIn(source: string): string[];
  faultsIn(names: string[], earlier?: string[][]): string[];
};

const [FIRST, SECOND, THIRD, FOURTH] = ['A1000000000001', 'B1000000000002', 'C1000000000003', 'D1000000000004'];

it('reads the names from the list, not from the imports', () => {
  const source = `import { B1000000000002 } from './b.js';\nexport const MIGRATIONS = [\n  A1000000000001,\n  B1000000000002,\n];\n`;
  expect(namesIn(source)).toEqual([FIRST, SECOND]);
});

it('accepts migrations that are added at the end', () => {
  expect(faultsIn([FIRST, SECOND, THIRD], [[FIRST, SECOND], [FIRST]])).toEqual([]);
});

it('rejects a time that is not later than the one before', () => {
  expect(faultsIn([FIRST, THIRD, SECOND])).toEqual([expect.stringContaining(`${SECOND} stands after ${THIRD}`)]);
});

it.each([
  ['between others', [FIRST, SECOND, THIRD, FOURTH], SECOND],
  ['before all', [FIRST, SECOND, THIRD, FOURTH], FIRST],
])('rejects one that is added %s', (_, names, added) => {
  const before = names.filter((name) => name !== added);
  expect(faultsIn(names, [before])).toEqual([expect.stringMatching(`^${added} stands where .*time after ${FOURTH}`)]);
});

it('rejects one that is removed, in whichever earlier change', () => {
  expect(faultsIn([FIRST, SECOND, THIRD], [[FIRST, SECOND], [FIRST, THIRD], [FIRST]])).toEqual([
    expect.stringMatching(`^${SECOND} stands where ${THIRD} stood`),
  ]);
});
