import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasChromium, inBrowser } from '../../support/browser.js';
import { Reference } from './reference.js';
import { Served } from './served.js';

/** What runs Python snippets as they stand; elsewhere they are only compiled. */
const PYTHON = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import requests_oauthlib']).status === 0,
);
const NAME = `Été's "50 %" + $HOME \`two\` * & \\ “more”=1 {x}`;

let served: Served;
beforeAll(async () => void (served = await Served.start()), 180_000);
afterAll(() => Promise.all(Served.all.map((each) => each.stop())), 30_000);

inBrowser(`Snippets of Swagger UI${hasChromium ? '' : ' (there is no Chromium)'}`, () => {
  const reference = new Reference();
  reference.perTest();
  const folder = mkdtempSync(join(tmpdir(), 'marquee-snippets-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const open = () => reference.open(`${served.url}/docs#key=${served.key()}`);
  const operation = (id: string) => reference.operation(id);

  const run = (command: string, args: string[]) => {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, DATA_DIR: served.dataDir, npm_config_update_notifier: 'false' };
    return execFileSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  };
  /** Runs the three as they stand, and answers what the first two print; the third prints what the second does. */
  const fromElsewhere = async (opened: Awaited<ReturnType<typeof operation>>) => {
    const marquee = await opened.snippet('marquee');
    const node = await opened.snippet('node');
    const python = await opened.snippet('python');
    const { consumer_key, consumer_secret, access_token, access_token_secret } = served.credentials();
    for (const secret of [consumer_key, consumer_secret, access_token, access_token_secret])
      expect(`${marquee}${node}${python}`).not.toContain(secret);
    writeFileSync(join(folder, 'request.mjs'), node);
    writeFileSync(join(folder, 'request.py'), python);
    if (PYTHON) expect(run(PYTHON, [join(folder, 'request.py')])).toMatch(/^2\d\d /);
    else run('python3', ['-m', 'py_compile', join(folder, 'request.py')]);
    return { marquee: run('sh', ['-c', marquee]), node: run(process.execPath, [join(folder, 'request.mjs')]) };
  };

  it('a read, with its query', async () => {
    await open();
    const list = await operation('listCampaigns');
    await list.field('q').fill('Wint');
    await list.execute();
    const { marquee, node } = await fromElsewhere(list);
    expect(JSON.parse(marquee)).toMatchObject({ request: { params: { q: 'Wint' } } });
    expect(node).toMatch(/^200 .*"q":"Wint"/);
  });

  it('a form, with what is awkward to quote', async () => {
    await open();
    const create = await operation('createCampaign');
    await create.field('name').fill(NAME);
    expect(await create.execute()).toMatchObject({ status: '201' });
    const { marquee, node } = await fromElsewhere(create);
    expect(JSON.parse(marquee)).toMatchObject({ data: { name: NAME } });
    expect(node).toMatch(/^201 /);
    expect(JSON.parse(node.slice(4))).toMatchObject({ data: { name: NAME } });
  });

  it('a batch, whose JSON is not signed', async () => {
    await open();
    const batch = await operation('batchCampaigns');
    await batch.body().fill((await batch.body().inputValue()).replace('Winter menu', `It's “true”, null`));
    expect(await batch.execute()).toMatchObject({ status: '200' });
    const { marquee, node } = await fromElsewhere(batch);
    expect(JSON.parse(marquee)).toMatchObject({ data: [{ name: `It's “true”, null` }, {}] });
    expect(node).toMatch(/^200 .*It's “true”, null/);
    expect(await batch.snippet('python')).not.toMatch(/\btrue\b(?!”)|: null/);
  });

  it('what an application signs, or sends with its password', async () => {
    await open();
    for (const id of ['requestToken', 'tokenOAuth2']) {
      const begun = await operation(id);
      expect(await begun.execute()).toMatchObject({ status: '200' });
      const { marquee, node } = await fromElsewhere(begun);
      expect([marquee, node]).toEqual([expect.stringMatching(/token/), expect.stringMatching(/^200 .*token/)]);
    }
  });

  it('with the names of the environment where the keys are not the demo’s', async () => {
    await open();
    await reference.page.locator('#keys summary').click();
    await reference.page.locator('#keys input[name="access_token"]').fill('another');
    await reference.page.keyboard.press('Tab');
    const list = await operation('listAccounts');
    await list.execute();
    expect(await list.snippet('marquee')).toContain('MARQUEE_CONSUMER_KEY');
    expect(await list.snippet('node')).toContain('process.env.MARQUEE_ACCESS_TOKEN');
    expect(await list.snippet('python')).toContain('MARQUEE_');
  });

  it('to the clipboard, and no curl, which would be a replay', async () => {
    await open();
    await reference.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const list = await operation('listAccounts');
    await list.execute();
    const text = await list.snippet('marquee');
    await list.block.locator('.snippets .copy').click();
    await list.block.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await reference.page.evaluate('navigator.clipboard.readText()')).toBe(text);
    expect(await list.block.textContent()).not.toMatch(/curl -X|oauth_signature/);
  });
});
