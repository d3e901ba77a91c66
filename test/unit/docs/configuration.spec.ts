import { readFileSync } from 'node:fs';
import { readConfig } from '../../../src/config/config.js';

/** The names of the first column of the table; `_NAME` continues the first name of its row. */
const documented = readFileSync('docs/configuration.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => {
    const names = [...line.split('|')[1].matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name);
    return names.map((name) => (name.startsWith('_') ? `${/^(RATE_LIMIT)_/.exec(names[0])![1]}${name}` : name));
  });

/** Every variable that is read, also where it takes another one for that. */
function read(): string[] {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, string>>(
    { BLOB_STORE: 's3', S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 's' },
    {
      get(given, name: string) {
        names.add(name);
        return given[name];
      },
    },
  );
  readConfig(environment);
  // Where programs are looked for, and the files that variables may stand in.
  return [...names].filter((name) => name !== 'PATH' && !(name.endsWith('_FILE') && names.has(name.slice(0, -5))));
}

it('docs/configuration.md has every variable that is read, once, and none else', () => {
  expect(documented.toSorted()).toEqual(read().toSorted());
});

describe('the tables of docs/gaps.md', () => {
  const cellsOf = (row: string) =>
    row
      .replaceAll('\\|', '')
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const tables = readFileSync('docs/gaps.md', 'utf8')
    .split(/\n(?!\|)/)
    .map((part) => part.split('\n').filter((line) => line.startsWith('|')))
    .filter((rows) => rows.length > 0);

  it('have as many columns in every row as in their header, which stands once', () => {
    expect(tables.length).toBeGreaterThan(10);
    for (const [header, rule, ...rows] of tables) {
      const columns = cellsOf(header).length;
      expect(rule).toMatch(/^\|( -+ \|)+$/);
      expect(rows.filter((row) => cellsOf(row).length !== columns || row === header)).toEqual([]);
    }
  });

  it('say everything once', () => {
    const gaps = tables.flatMap((rows) => rows.slice(2).map((row) => cellsOf(row)[0]));
    const routes = gaps
      .filter((gap) => /^`[A-Z]+ \//.test(gap))
      .flatMap((gap) => [...gap.matchAll(/`((?:GET|POST|PUT|DELETE) [^`]+)`/g)].map(([, route]) => route));
    for (const all of [gaps, routes]) expect(all.filter((each, i) => all.indexOf(each) !== i)).toEqual([]);
  });
});
