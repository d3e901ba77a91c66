import { statSync, writeFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { runInService } from '../../../src/cli/running-service.js';
import { Place } from './marquee.js';

/** Every command is a process of its own, some of which open a store. */
jest.setTimeout(180_000);

let place: Place;
beforeAll(async () => void (place = await Place.make({ DEMO: 'false', LOG_LEVEL: 'warn' })));
afterAll(() => place?.leave());

/** A file of users in the data directory. */
function file(name: string, lines: (object | string)[]): string {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  writeFileSync(place.path(name), text);
  return place.path(name);
}
/** On a closed store every command is a second of opening it; inside the running service none. */
const inside = (...argv: string[]) => place.inside(['directory', ...argv]);
const count = async (...conditions: string[]) =>
  (JSON.parse((await inside('count', '--json', ...conditions)).stdout) as { count: number }).count;

const ANN = {
  username: 'ann',
  name: 'Ann',
  country: 'US',
  gender: 'FEMALE',
  age: 34,
  platforms: ['IOS'],
  email: 'ann@x.example',
};
const BEN = {
  username: 'ben',
  country: 'DE',
  interests: ['11005'],
  follows: ['@ann', 'carl'],
  phone_number: '+49 30 123456',
};

it('checks and imports a file on a closed store, and shows what is known', async () => {
  const users = file('users.ndjson', [ANN, '', BEN, { username: 'old', country: 'US', active_at: '2020-01-01' }, '']);
  expect(await place.marquee(['directory', 'import', users, '--check'])).toEqual({
    exitCode: 0,
    stdout: '3 users can be imported.\n',
    stderr: '',
  });
  expect(await place.marquee(['directory', 'import', users])).toEqual({
    exitCode: 0,
    stdout: '3 users were read: 3 are new in the directory, 0 were in it.\n',
    stderr: '',
  });
  expect(await place.json(['directory', 'import', users])).toEqual({ lines: 3, made: 0, updated: 3 });

  expect(await place.json(['directory', 'show', 'ben'])).toEqual({
    username: 'ben',
    user_id: expect.stringMatching(/^\d{16}$/),
    name: 'ben',
    active_at: expect.stringMatching(/^20\d\d-.*Z$/),
    country: 'DE',
    language: null,
    gender: null,
    age_bucket: null,
    platforms: [],
    interests: ['11005'],
    follows: [expect.stringMatching(/^\d{16}$/), expect.stringMatching(/^\d{16}$/)],
    identifiers: { handle: 1, platform_id: 1, phone_number: 1 },
  });
});

it('counts, inside the service that runs', async () => {
  await place.serve();
  const shown = await inside('show', '@Ann');
  expect(shown.stdout).toMatch(/^age_bucket +AGE_25_TO_34$/m);
  expect(shown.stdout).toMatch(/^identifiers +email \(1\), handle \(1\), platform_id \(1\)$/m);

  // 2020 is long ago, and of carl nothing is known but a follower
  expect(await count()).toBe(2);
  expect(await count('country=us,de', 'gender!=female')).toBe(1);
  expect(await count('age=AGE_25_TO_54', 'platform=0')).toBe(1);
  expect(await count('followers_of_user=carl')).toBe(1);
  expect(await count('followers_of_user=ann', 'country=US')).toBe(0);
});

it('names the line and the field of every mistake, and imports nothing', async () => {
  const users = file('wrong.ndjson', [
    { username: 'dora', country: 'US' },
    '',
    { username: 'emil', country: 'Narnia', email: ['emil@x.example', 'emil'] },
    '{"username": "finn"',
    { usrname: 'gus' },
  ]);
  const { exitCode, stderr, stdout } = await inside('import', users);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr.split('\n').slice(0, -1)).toEqual([
    'error: nothing was imported:',
    '  line 3, country: "Narnia": a country in ISO 3166-1 alpha-2, such as US',
    '  line 3, email: "emil": an address such as ann@example.com, or a SHA-256 in hexadecimal',
    `  line 4, line: ${JSON.stringify('{"username": "finn"')}: a JSON object`,
    expect.stringMatching(/^ {2}line 5, usrname: one of user_id, username, name, /),
    '  line 5, username: required, unless user_id is given',
  ]);
  expect(await inside('show', 'dora')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('no user dora'),
  });
});

it('counts mistakes beyond the first twenty', async () => {
  const users = file(
    'many-wrong.ndjson',
    Array.from({ length: 33 }, () => ({ username: '1' })),
  );
  const { stderr } = await inside('import', users);
  expect(stderr.split('\n')).toHaveLength(1 + 20 + 1 + 1);
  expect(stderr).toMatch(/\n {2}and 13 more\n$/);
});

it('says what the store refuses by line and field, and what was imported before', async () => {
  const many = Array.from({ length: 1_000 }, (_, i) => ({ username: `hana_${i}` }));
  const users = file('taken.ndjson', [...many, { username: 'iris', email: 'ANN@x.example' }]);
  const refused = await inside('import', users);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toBe(
    'error: the users before line 1001 were imported (1000), the others not:\n' +
      '  line 1001, email: one of its values is that of @ann already\n',
  );
  expect(await count()).toBe(1_002);
});

it('shows progress to a terminal while the running service imports', async () => {
  const many = Array.from({ length: 1_500 }, (_, i) => ({ username: `ines_${i}` }));
  const users = file('progress.ndjson', many);
  const half = many
    .slice(0, 1_000)
    .map((user) => `${JSON.stringify(user)}\n`)
    .join('').length;
  const percent = Math.floor((100 * half) / statSync(users).size);
  const shown: (string | undefined)[] = [];
  const result = await runInService(
    { path: place.path('admin.sock') },
    { argv: ['directory', 'import', users, '--json'] },
    (text) => void shown.push(text),
  );
  expect({ ...result, stdout: JSON.parse(result!.stdout) }).toEqual({
    exitCode: 0,
    stdout: { lines: 1_500, made: 1_500, updated: 0 },
    stderr: '',
  });
  expect(shown[0]).toBe('checked 0 % of 0.0 MiB: 1 lines');
  expect(shown.slice(-3).map((text) => text?.replace(/, \d+\/s$/, ''))).toEqual([
    `imported ${percent} % of 0.0 MiB: 1000 lines, 1000 new, 0 updated`,
    'imported 100 % of 0.0 MiB: 1500 lines, 1500 new, 0 updated',
    undefined,
  ]);
});

it('refuses what is no file, and lines beyond all bounds', async () => {
  const missing = await inside('import', place.path('none.ndjson'));
  expect(missing).toMatchObject({ exitCode: 1, stderr: `error: there is no file ${place.path('none.ndjson')}\n` });
  const folder = await inside('import', place.dataDir);
  expect(folder).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is no file') });
  const long = await inside('import', file('long.ndjson', ['x'.repeat(3_000_000)]));
  expect(long).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^error: line 1: a user takes at most \d+ bytes\n/),
  });
  for (const condition of ['country', 'county=US', 'age=OLD', 'gender=', 'platform=PHONE'])
    expect([condition, await inside('count', condition)]).toEqual([
      condition,
      { exitCode: 2, stdout: '', stderr: expect.stringMatching(/^error: /) },
    ]);
});

it('explains the fields of a line and the conditions of a count', async () => {
  const { stdout } = await place.marquee(['directory', 'import', '--help']);
  for (const field of [
    'user_id',
    'active_at',
    'age_bucket',
    'tv_shows',
    'iab_categories',
    'partner_user_id',
    '--check',
  ])
    expect(stdout).toContain(field);
  expect((await place.marquee(['help', 'directory'])).stdout).toMatch(/import[^]*show[^]*count/);
  expect((await place.marquee(['directory', 'count', '--help'])).stdout).toContain('similar_to_followers_of_user');
});

it('has the running service read paths of where the command was given', async () => {
  file('late.ndjson', [{ username: 'late', country: 'FR' }]);
  const { exitCode, stdout, stderr } = await place.marquee(['directory', 'import', 'late.ndjson', '--json'], {
    cwd: place.dataDir,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({ lines: 1, made: 1, updated: 0 });
  expect(await count('country=FR')).toBe(1);
});
