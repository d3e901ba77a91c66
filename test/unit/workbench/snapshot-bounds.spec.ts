import { readSnapshotFile, type ColumnShape } from '../../../src/workbench/snapshots/snapshot-file.rules.js';

const column = (table: string, name: string, type: string, more: Partial<ColumnShape> = {}): [string, ColumnShape] => [
  `${table}.${name}`,
  { name, type, table, isArray: false, isNullable: false, ...more },
];
const COLUMNS = new Map([
  column('targeting_sets', 'revision', 'integer'),
  column('funding_instruments', 'spentLocalMicro', 'bigint'),
  column('audience_identifiers', 'person', 'bigint'),
  column('audience_identifiers', 'hash', 'bytea'),
  column('delivery_facts', 'impressions', 'integer'),
  column('delivery_facts', 'billedChargeLocalMicro', 'bigint'),
  column('delivery_facts', 'hour', 'timestamptz'),
  column('campaigns', 'createdAt', 'timestamptz'),
  column('campaigns', 'name', 'varchar', { text: 'any' }),
  column('media_creatives', 'landingUrl', 'varchar', { text: 'url' }),
  column('cards', 'content', 'json'),
]);

/** Reads a file with rows of one column. */
function read(place: string, ...values: unknown[]): unknown {
  const shape = COLUMNS.get(place)!;
  const [table, name] = place.split('.');
  const accounts = [{ account_id: 'a', tables: { [table]: values.map((value) => ({ [name]: value })) } }];
  const file = { format: 'marquee-snapshot', version: 1, accounts };
  return readSnapshotFile(file, new Map([[table, [shape]]]), { accounts: 1, rows: 10 });
}

const MAX = 2n ** 63n - 1n;

describe('the limits of values in snapshot files', () => {
  it.each<[place: string, taken: unknown[], refused: unknown[]]>([
    ['targeting_sets.revision', [1, 1_000_000_000], [0, -1, 1_000_000_001, 2 ** 31 - 1, 1.5, '1']],
    ['funding_instruments.spentLocalMicro', ['0', '9007199254740991', 5], ['-1', '9007199254740992', `${MAX}`, '1.5']],
    ['audience_identifiers.person', [`${MAX}`, `-${MAX}`, '0'], [`${MAX + 1n}`, 'x']],
    ['audience_identifiers.hash', [`\\x${'0f'.repeat(32)}`], ['\\x', '\\x00', `\\x${'00'.repeat(33)}`, 'x']],
    ['delivery_facts.impressions', [0, 80_000_000], [-1, 80_000_001]],
    [
      'delivery_facts.hour',
      ['2027-01-10T09:00:00Z', '2000-01-01T00:00:00Z', '2027-01-10T09:00:00+14:00'],
      ['2027-01-10T09:30:00Z', '1999-12-31T23:00:00Z', '2100-01-01T01:00:00Z', 'infinity', 'now'],
    ],
    [
      'campaigns.createdAt',
      ['1970-01-01T00:00:00Z', '2026-02-28T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
      ['1969-12-31T23:59:59Z', '0001-01-01T00:00:00Z', '2026-02-30T00:00:00Z', '9999-12-31T23:00:00-01:00'],
    ],
    ['campaigns.name', ['', 'x'.repeat(512), 'é\u{1F9C0}'], ['x'.repeat(513), 'a\0b', '\ud800', 1]],
    [
      'media_creatives.landingUrl',
      ['https://example.com/?a=b', 'http://example.com'],
      ['', 'x', 'ftp://example.com', 'https://', 'https://a b'],
    ],
    [
      'cards.content',
      [{}, [], { choices: ['Yes', 1, null, { title: 'Tea' }] }],
      ['x', null, { title: 'a\0b' }, { choices: [{ title: '\ud800' }] }, { 'a\0b': 1 }],
    ],
  ])('%s', (place, taken, refused) => {
    for (const value of taken) expect(() => read(place, value)).not.toThrow();
    const [table, name] = place.split('.');
    for (const value of refused)
      expect(() => read(place, value)).toThrow(
        new RegExp(`^Expected .* for accounts\\[0\\].tables.${table}\\[0\\].${name}`, 's'),
      );
  });

  it('bound the sum of money of an account', () => {
    const place = 'delivery_facts.billedChargeLocalMicro';
    const half = 2n ** 52n;
    expect(() => read(place, `${half - 1n}`, `${half}`)).not.toThrow();
    expect(() => read(place, `${half}`, `${half}`)).toThrow(/a sum of at most 9007199254740991 .*\[1\].billedCharge/);
  });
});
