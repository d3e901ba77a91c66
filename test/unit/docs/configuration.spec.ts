import { readFileSync } from 'node:fs';
import { readConfig } from '../../../src/config.js';

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
