import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import type { User } from '../../../src/auth/credentials/user.entity.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { useSharedApp, world } from '../../support/app.js';
import { inBrowser, useBrowser } from '../../support/browser.js';
import { given, type Application } from '../../support/given.js';
import { application as registered, person, Visitor } from '../auth/visitor.js';
import { checkPage, DEVICES, HOSTILE, problemsOf, signIn } from './visited-page.js';

/** Maximum size of a file of a snapshot. */
const MAX_BYTES = 16 * 1024 * 1024 + 1_000_000;

describe('files of snapshots and namespaces in the workbench', () => {
  useSharedApp();
  const openPage = useBrowser();

  let owner: Row<User>;
  let application: Application;
  let account: ActingAccount;
  let snapshots: string;
  let visitor: Visitor;
  let csrf: string;
  let saved: string;

  beforeEach(async () => {
    owner = await person();
    application = await registered({ ownerId: owner.id, name: 'Desk' });
    account = await given.account({ userId: owner.id, environment: 'sandbox' });
    await given.campaign({ account, name: 'Kept' });
    snapshots = `/workbench/applications/${application.id}/snapshots`;
    visitor = await new Visitor().signIn(owner.username);
    ({ csrf } = await visitor.get(snapshots));
    await visitor.post(snapshots, { csrf, name: 'saved', account: account.id });
    saved = (await visitor.get(`${snapshots}/saved/content`)).page.text;
  });

  const problem = () => /id="import-error">([^<]*)</.exec(visitor.page.text)?.[1] ?? '';
  const campaigns = ({ id }: { id: string }) =>
    world().sql<{ name: string }>(`SELECT name FROM campaigns WHERE "accountId" = $1 AND "deletedAt" IS NULL`, id);
  const send = (text: string | Buffer, fields: Record<string, string> = {}, name = 'file.json', field = 'file') =>
    visitor.upload(`${snapshots}/import`, { csrf, name: '', account_ids: '', ...fields }, { field, name, text });

  it('imports a file, under its own name or another one, and into other accounts', async () => {
    await send(saved);
    expect([visitor.page.status, visitor.location]).toEqual([303, `${snapshots}?done=imported`]);
    await visitor.get(`${snapshots}?done=imported`);
    expect(visitor.page.text).toContain('The file is stored as a snapshot, which can be restored now.');
    const other = await given.account({ userId: owner.id, environment: 'sandbox' });
    await send(saved, { name: 'moved', account_ids: ` ${other.id} ` });
    expect(visitor.location).toBe(`${snapshots}?done=imported`);
    await visitor.get(`${snapshots}/moved/content`);
    expect(JSON.parse(visitor.page.text)).toMatchObject({ name: 'moved', accounts: [{ account_id: other.id }] });
    await visitor.post(`${snapshots}/moved/restore`, { csrf });
    expect(await campaigns(other)).toEqual([{ name: 'Kept' }]);
    await visitor.post(`${snapshots}/reset`, { csrf, to: 'EMPTY', account: account.id });
    expect(await campaigns(account)).toEqual([]);
    await visitor.post(`${snapshots}/file/restore`, { csrf });
    expect(await campaigns(account)).toEqual([{ name: 'Kept' }]);
    // an editor keeps what the file says, and not how it says it
    await send(JSON.stringify(JSON.parse(saved), null, 2), { name: 'edited' });
    expect(visitor.page.status).toBe(303);
  });

  it('says beside the form what is wrong with a file, and keeps the fields', async () => {
    const file = JSON.parse(saved);
    const foreign = await given.advertiser({ environment: 'sandbox' });
    const wrong: [text: string | Buffer, status: number, says: string, fields?: Record<string, string>][] = [
      ['', 400, 'file'],
      ['{"format":', 400, 'The file is not well-formed JSON'],
      [Buffer.from([0x89, 0x50, 0x4e, 0x47]), 400, 'The file is not well-formed JSON'],
      ['['.repeat(40), 400, 'The file is nested more than 20 levels deep'],
      ['[]', 400, 'a snapshot file'],
      [JSON.stringify({ ...file, format: 'other' }), 400, 'Expected marquee-snapshot for format'],
      [JSON.stringify({ ...file, version: 2 }), 400, 'version'],
      [Buffer.alloc(MAX_BYTES + 1, ' '), 413, `file must have at most ${MAX_BYTES} bytes`],
      [saved, 400, 'snapshot_name', { name: 'a b' }],
      [saved, 400, 'account_ids', { account_ids: 'no id' }],
      [saved, 400, foreign.account.id, { account_ids: foreign.account.id }],
      [saved, 400, 'as many as the file has', { account_ids: `${account.id},${foreign.account.id}` }],
    ];
    for (const [text, status, says, fields] of wrong) {
      await send(text, fields);
      expect([visitor.page.status, problem()]).toEqual([status, expect.stringContaining(says)]);
    }
    await send('[]', { name: 'kept', account_ids: account.id });
    for (const value of ['kept', account.id]) expect(visitor.page.text).toContain(`value="${value}"`);
    await visitor.upload(`${snapshots}/import`, { csrf });
    expect([visitor.page.status, problem()]).toEqual([400, expect.stringContaining('file')]);
    await visitor.post(`${snapshots}/import`, { csrf, name: 'x' });
    expect([visitor.page.status, problem()]).toEqual([400, expect.stringContaining('file')]);
    await send(saved, {}, 'autumn collection.json');
    expect([visitor.page.status, problem()]).toEqual([400, expect.stringContaining('snapshot_name')]);
    await send(saved, {}, 'file.json', 'other');
    expect([visitor.page.status, problem()]).toEqual([400, expect.stringContaining('file')]);
    const { page } = await visitor.get(snapshots);
    expect(page.text.match(/id="snapshot-/g)).toHaveLength(1);
  });

  it('imports nothing for other sessions and other users', async () => {
    for (const token of ['', 'x']) {
      await send(saved, { csrf: token });
      expect([visitor.page.status, problem()]).toEqual([403, expect.stringContaining('out of date')]);
    }
    const stranger = await new Visitor().signIn((await person()).username);
    const theirs = { csrf: stranger.csrf, name: 'theirs' };
    const file = { field: 'file', name: 'theirs.json', text: saved };
    expect((await stranger.upload(`${snapshots}/import`, theirs, file)).page.status).toBe(404);
    const nobody = await new Visitor().get(snapshots);
    await nobody.upload(`${snapshots}/import`, { csrf: nobody.csrf, name: 'theirs' }, file);
    expect(nobody.heading).toBe('Sign in');
    await visitor.get(`${snapshots}/theirs/content`);
    expect(visitor.page.status).toBe(404);
    // the memory of refused files is free again
    expect((await send(saved)).page.status).toBe(303);
  });

  inBrowser.each(Object.entries(DEVICES))('in a browser, %s', (device, options) => {
    let page: Page;
    let problems: string[];

    beforeEach(async () => {
      page = await openPage(options);
      problems = problemsOf(page);
      await signIn(page, owner);
    }, 60_000);

    const check = async (name: string) => {
      await checkPage(page, `${device}-workbench-${name}`);
      expect(problems).toEqual([]);
    };

    it('imports a chosen file, and says what is wrong with another one', async () => {
      await page.goto(`${world().url}${snapshots}`);
      const choose = (name: string, content: string | Buffer) =>
        page
          .getByLabel('File of an export')
          .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) });
      const importIt = page.getByRole('button', { name: 'Import' });
      await choose('hostile.json', JSON.stringify({ format: HOSTILE }));
      await importIt.click();
      const problem = page.getByRole('form', { name: 'Import' }).getByRole('alert');
      expect(await problem.innerText()).toContain('Expected marquee-snapshot for format');
      await check('import-refused');
      const isTooLarge = () =>
        page
          .getByLabel('File of an export')
          .evaluate((input) => (input as unknown as { validity: { customError: boolean } }).validity.customError);
      await choose('large.json', Buffer.alloc(MAX_BYTES + 1, ' '));
      expect(await isTooLarge()).toBe(true);
      await choose('chosen.json', saved);
      expect(await isTooLarge()).toBe(false);
      await importIt.click();
      await page.getByText('The file is stored as a snapshot').waitFor();
      await page.locator('#snapshots').getByText('chosen', { exact: true }).waitFor();
      await check('imported');
    });

    it('saves the credentials of a namespace as a file', async () => {
      await page.goto(`${world().url}/workbench/applications/${application.id}/namespaces`);
      await page.getByLabel('Name').fill(HOSTILE.slice(0, 80));
      await page.getByRole('button', { name: 'Create a namespace' }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Save them as namespace.json' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe('namespace.json');
      const text = await readFile(await file.path(), 'utf8');
      expect(JSON.parse(text)).toEqual(JSON.parse(await page.locator('#credentials').innerText()));
      await check('namespace-created');
    });
  });
});
