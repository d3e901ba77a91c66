import { statSync, writeFileSync, readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { runInService } from '../../../src/cli/process-context.js';
import { Place } from './marquee.js';
import type { Json } from '../../support/http.js';

jest.setTimeout(180_000);

describe('directory', () => {
  /** Every command is a process of its own, some of which open a store. */

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
      'error: the users before line 1001 were imported (1000), but not the others:\n' +
        '  line 1001, email: one of its values already belongs to @ann\n',
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
    expect(folder).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not a file') });
    const long = await inside('import', file('long.ndjson', ['x'.repeat(3_000_000)]));
    expect(long).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: line 1: a line can have at most \d+ bytes\n/),
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
});

describe('reference', () => {
  /** Every command is a process of its own, some of which open a store. */

  let place: Place;
  beforeAll(async () => void (place = await Place.make({ DEMO: 'false', LOG_LEVEL: 'warn' })));
  afterAll(() => place?.leave());

  const RULES = 'currency\tminimum_cpe_bid_local_micro\tmaximum_cpe_bid_local_micro\tminimum_denomination';
  const file = (name: string, text: string): string => {
    writeFileSync(place.path(name), text);
    return place.path(name);
  };
  /** On a closed store every command is a second of opening it; inside the running service none. */
  const inside = (command: string) => place.inside(command.split(' '));
  const json = async (...argv: string[]): Promise<Json> => {
    const { stdout, stderr, exitCode } = await place.inside([...argv, '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout);
  };

  it('shows, on a closed store, a file that comes with the service', async () => {
    const shown = await place.marquee(['reference', 'show', 'bidding_rules', '--tsv']);
    expect(shown).toEqual({
      exitCode: 0,
      stdout: readFileSync('assets/reference/bidding-rules.tsv', 'utf8'),
      stderr: '',
    });
    const rules = file('rules.tsv', `${RULES}\nEUR\t10000\t1000000000\t10000\n`);
    expect(await place.marquee(['reference', 'import', rules])).toEqual({
      exitCode: 0,
      stdout: 'bidding_rules has 1 rows now: 0 new, 0 changed, 153 gone.\n',
      stderr: '',
    });
  });

  describe('in the service that runs', () => {
    beforeAll(() => place.serve());

    it('imports, checks, resets and refreshes reference data', async () => {
      expect(await json('reference', 'show', 'bidding_rules')).toEqual([
        {
          currency: 'EUR',
          minimum_cpe_bid_local_micro: 10_000,
          maximum_cpe_bid_local_micro: 1_000_000_000,
          minimum_denomination: 10_000,
        },
      ]);
      const rules = file('rules.tsv', `${RULES}\nEUR\t20000\t1000000000\t10000\nUSD\t20000\t1000000000\t10000\n`);
      const changes = { kind: 'bidding_rules', rows: 2, added: 1, changed: 1, removed: 0 };
      expect(await json('reference', 'import', rules, '--check')).toEqual(changes);
      expect(await json('reference', 'show', 'bidding_rules')).toHaveLength(1);
      expect(await json('reference', 'import', rules)).toEqual(changes);
      expect((await inside('reference show bidding_rules')).stdout).toMatch(/^USD +20000 +1000000000 +10000$/m);
      expect(await json('reference', 'reset', 'bidding_rules')).toEqual({
        kind: 'bidding_rules',
        rows: 154,
        added: 152,
        changed: 2,
        removed: 0,
      });
      expect(await json('reference', 'refresh')).toEqual({ refreshed: true });
    });

    it('names every mistake of a file by its line, twenty of them', async () => {
      const wrong = file('wrong.tsv', [RULES, ...Array.from({ length: 30 }, () => 'usd\t1\t1\t1')].join('\n'));
      const { exitCode, stdout, stderr } = await inside(`reference import ${wrong}`);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      const lines = stderr.trimEnd().split('\n');
      expect(lines[0]).toBe('error: nothing was changed:');
      expect(lines[1]).toMatch(/^ {2}line 2: .*currency/);
      expect(lines).toHaveLength(22);
      expect(lines.at(-1)).toMatch(/^ {2}and \d+ more$/);
    });

    it('makes publishers and curated categories of them, and an app of an account', async () => {
      await inside('user create ann --no-password');
      await inside('user create ben --no-password');
      const { account_id } = await json('account', 'create', '--owner', 'ann', '--name', 'Ann');
      const ann = await json('publisher', 'create', '@ann', '--monetizable', 'us,ca', '--content-categories', 'se');
      expect(ann).toMatchObject({
        username: 'ann',
        monetizable_country_codes: ['US', 'CA'],
        promotion_eligible_country_codes: [],
        monetization_restricted: false,
        content_category_ids: ['se'],
      });
      await json('publisher', 'create', 'ben', '--promotion-eligible', 'DE', '--restricted');
      expect(await json('publisher', 'list')).toMatchObject([{ username: 'ben', monetization_restricted: true }, ann]);

      const made = await json(
        ...['curated-category', 'create', '--name', 'Basketball', '--description', 'Games', '--countries', 'US,DE'],
        ...['--publishers', 'ann, ben', '--videos', '12'],
      );
      expect(made).toMatchObject({
        country_codes: ['US', 'DE'],
        publisher_user_ids: [ann.user_id, expect.any(String)],
        videos_monetized_in_last_thirty_days: 12,
      });
      expect(await json('curated-category', 'list', '--countries', 'de')).toEqual([made]);
      expect(await json('curated-category', 'list', '--countries', 'FR')).toEqual([]);
      expect(await json('publisher', 'delete', 'ben')).toMatchObject({ username: 'ben', deleted: true });
      expect((await json('curated-category', 'list'))[0].publisher_user_ids).toEqual([ann.user_id]);
      await json('curated-category', 'delete', made.id);
      expect((await inside('curated-category list')).stdout).toMatch(/^There are no curated categories/);
      expect(await json('curated-category', 'list', '--with-deleted')).toHaveLength(1);

      const app = await json(
        ...['account-app', 'create', account_id, '--os-type', 'ios', '--app-store-identifier', '333903271'],
        ...['--deep-link-pattern', 'ann://', '--conversion-tracking'],
      );
      expect(app).toMatchObject({ os_type: 'iOS', deep_link_pattern: 'ann://', conversion_tracking_enabled: true });
      expect(await json('account-app', 'list', account_id)).toEqual([app]);
      expect(await json('account-app', 'delete', account_id, app.id)).toMatchObject({ id: app.id, deleted: true });
      expect((await inside(`account-app list ${account_id}`)).stdout).toMatch(/has no apps/);
      expect((await inside(`account-app list ${account_id} --with-deleted`)).stdout).toMatch(
        /^[0-9a-z]{13} +iOS +333903271/m,
      );

      const token = await json('pixel', 'tokens', 'create', account_id, '--name', 'Tag server');
      expect(token).toMatchObject({
        pixel_id: [...(account_id as string)].reverse().join(''),
        token: expect.stringMatching(/^\w{50}$/),
        name: 'Tag server',
        revoked_at: null,
      });
      const listed = await json('pixel', 'tokens', 'list', account_id);
      expect(listed).toMatchObject([{ token_id: token.token_id, name: 'Tag server' }]);
      expect(JSON.stringify(listed)).not.toContain(token.token);
      expect((await inside(`pixel tokens revoke ${account_id} ${token.token_id}`)).stdout).toMatch(/is revoked/);
      expect((await inside(`pixel tokens list ${account_id}`)).stdout).toMatch(/has no tokens/);
      expect(await json('pixel', 'tokens', 'list', account_id, '--revoked')).toMatchObject([
        { revoked_at: expect.stringMatching(/Z$/) },
      ]);
    });

    it.each([
      [2, 'Allowed values: iab_categories,', 'reference show colours'],
      [1, 'there is no file', 'reference import none.tsv'],
      [2, '--tsv and --json cannot be combined', 'reference show bidding_rules --tsv --json'],
      [1, 'there is no user carl', 'publisher create carl'],
      [1, 'already a publisher', 'publisher create ann'],
      [1, 'country code of ISO 3166-1', 'publisher create ben --monetizable XX'],
      [1, 'are content categories', 'publisher create ben --content-categories zz'],
      [1, 'ben is not a publisher', 'publisher delete ben'],
      [1, 'not a publisher', 'curated-category create --name A --description B --countries US --publishers ben'],
      [1, 'country_codes', 'curated-category create --name A --description B --countries Narnia'],
      [1, 'there is no curated category 32nope', 'curated-category delete 32nope'],
      [1, 'there is no ad account 32nope', 'account-app list 32nope'],
      [1, 'package', 'account-app create ACCOUNT --os-type Android --app-store-identifier 333903271'],
      [
        1,
        'deep_link_pattern',
        'account-app create ACCOUNT --os-type iOS --app-store-identifier 1 --deep-link-pattern ann',
      ],
      [2, 'Allowed values: Android, iOS', 'account-app create ACCOUNT --os-type Symbian --app-store-identifier 1'],
      [1, 'was not found', 'account-app delete ACCOUNT 32nope'],
    ])('ends with %i and says "%s": %s', async (code, message, command) => {
      const account = (await json('account', 'create', '--owner', 'ann', '--name', 'Another')).account_id;
      const { exitCode, stderr } = await inside(command.replace('ACCOUNT', account));
      expect({ command, exitCode, stderr }).toEqual({
        command,
        exitCode: code,
        stderr: expect.stringContaining(message),
      });
    });

    it('adds an app with one identifier once', async () => {
      const account = (await json('account', 'create', '--owner', 'ann', '--name', 'Third')).account_id;
      const add = `account-app create ${account} --os-type Android --app-store-identifier com.example.ann`;
      const ended = await Promise.all([inside(add), inside(add), inside(add)]);
      expect(ended.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1]);
      expect(ended.find(({ exitCode }) => exitCode === 1)?.stderr).toMatch(/has an app with the identifier/);
    });
  });
});
