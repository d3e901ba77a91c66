import { readFileSync, writeFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import type { Json } from '../../support/api.js';
import { Place } from './marquee.js';

/** Every command is a process of its own, some of which open a store. */
jest.setTimeout(180_000);

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
  });

  it.each([
    [2, 'Allowed are iab_categories,', 'reference show colours'],
    [1, 'there is no file', 'reference import none.tsv'],
    [2, '--tsv and --json exclude each other', 'reference show bidding_rules --tsv --json'],
    [1, 'there is no user carl', 'publisher create carl'],
    [1, 'publisher already', 'publisher create ann'],
    [1, 'country code of ISO 3166-1', 'publisher create ben --monetizable XX'],
    [1, 'are content categories', 'publisher create ben --content-categories zz'],
    [1, 'ben is no publisher', 'publisher delete ben'],
    [1, 'no publisher', 'curated-category create --name A --description B --countries US --publishers ben'],
    [1, 'country_codes', 'curated-category create --name A --description B --countries Narnia'],
    [1, 'there is no curated category 32nope', 'curated-category delete 32nope'],
    [1, 'there is no ad account 32nope', 'account-app list 32nope'],
    [1, 'package', 'account-app create ACCOUNT --os-type Android --app-store-identifier 333903271'],
    [
      1,
      'deep_link_pattern',
      'account-app create ACCOUNT --os-type iOS --app-store-identifier 1 --deep-link-pattern ann',
    ],
    [2, 'Allowed are Android, iOS', 'account-app create ACCOUNT --os-type Symbian --app-store-identifier 1'],
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
