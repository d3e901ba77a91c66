import { setTimeout as pause } from 'node:timers/promises';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { CreateFault } from '../../../src/workbench/faults/faults.dto.js';
import { FaultsService } from '../../../src/workbench/faults/faults.service.js';
import { addMinutes, minutesSince } from '../../../src/workbench/journal/request-minutes.statements.js';
import { JournalRetentionJob } from '../../../src/workbench/journal/journal-retention.job.js';
import { DataSource } from 'typeorm';
import { Api } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { hasChromium, useBrowser } from '../../support/browser.js';
import { given } from '../../support/given.js';
import { asBearer, connect, oauth2App, signedIn } from '../auth/oauth2-client.js';
import { application as registered, person, Visitor } from '../auth/visitor.js';
import { checkPage, DEVICES, problemsOf, signIn } from './visited-page.js';

describe('the overview of the workbench', () => {
  useSharedApp();

  async function desk() {
    const owner = await person();
    const application = await registered({ ownerId: owner.id, name: 'Desk' });
    const account = await given.account({ userId: owner.id, name: 'Trial & error' });
    const token = await world().get(AccessTokensService).issue(owner.id, application.id, 'write');
    const api = new Api({ consumer: application.consumer, token });
    return { owner, application, account, api, path: `/workbench/applications/${application.id}/overview` };
  }

  it('counts requests, and shows errors, windows, faults and spend', async () => {
    const { owner, application, account, api, path } = await desk();
    const campaigns = `/12/accounts/${account.id}/campaigns`;
    for (let i = 0; i < 3; i++) await api.get(campaigns);
    for (let i = 0; i < 2; i++) await api.post(campaigns);
    await api.get(`/12/accounts/${account.id}/campaign`);
    const item = await given.lineItem({ account });
    await given.facts(item, { hour: world().clock.now().toISOString(), billedChargeLocalMicro: 4_560_000 });
    const fault = Object.assign(new CreateFault(), { error_status: 503 });
    await world().get(FaultsService).create(application.id, fault);
    const visitor = await new Visitor().signIn(owner.username);
    const counted = /data-label="2xx">3<.*data-label="4xx">2</s;
    let { text } = (await visitor.get(path)).page;
    // another replica stores what it counted every ten seconds
    for (let tries = 0; tries < 60 && !counted.test(text); tries++) {
      await pause(250);
      ({ text } = (await visitor.get(path)).page);
    }
    expect(text).toMatch(counted);
    expect(text).toMatch(/at most \d+ ms/);
    const errors = [...text.matchAll(/<strong>(\d+) ×<\/strong> (\w+) <a[^>]*><bdi>([^<]*)/g)].map(([, ...all]) => all);
    expect(errors).toEqual([
      ['1', 'GET', `/12/accounts/${account.id}/campaign`],
      ['2', 'POST', campaigns],
    ]);
    const coreReads = (of: string) =>
      [...of.matchAll(/<code>CORE_READS<\/code> of <bdi>Trial &amp; error, ([^<]*)<\/bdi>: <strong>\d+</g)].map(
        ([, endpoint]) => endpoint,
      );
    expect(coreReads(text)).toEqual(['campaigns']);
    const left = /<code>WRITES<\/code> of <bdi>your token<\/bdi>: <strong>(\d+)</.exec(text)![1];
    expect(text).toContain('>1 active fault<');
    expect(text).toContain('<strong>4.56 USD</strong> today');
    expect(text).toContain('No webhook fails.');
    const core = ['campaigns', 'funding_instruments', 'line_items', 'promoted_posts', 'targeting_criteria'];
    const one = core.map(
      (each) => `${each}/:${each === 'targeting_criteria' ? 'targeting_criterion' : each.slice(0, -1)}_id`,
    );
    for (const each of [...core, ...one])
      await api.get(`/12/accounts/${account.id}/${each.replace(/:.*/, '0nobody')}`, {
        query: { line_item_ids: item.id },
      });
    const later = (await visitor.get(path)).page.text;
    expect(coreReads(later).toSorted()).toEqual([...core, ...one].toSorted());
    // looking counts nothing
    expect((await visitor.get(path)).page.text).toContain(`<strong>${left}</strong>`);
    const stranger = await new Visitor().signIn((await person()).username);
    expect((await stranger.get(path)).page.status).toBe(404);
  });

  it('shows the windows of a grant of OAuth 2.0', async () => {
    const visit = await signedIn();
    const app = await oauth2App('public', { ownerId: visit.user.id });
    const { tokens } = await connect(app, 'ads.read ads.write', visit);
    const { id } = await given.account({ userId: visit.user.id });
    expect((await asBearer(tokens.access_token, 'POST', `/12/accounts/${id}/campaigns`)).status).toBe(400);
    const { text } = (await visit.visitor.get(`/workbench/applications/${app.id}/overview`)).page;
    const [, left, limit] =
      /<code>WRITES<\/code> of <bdi>your grant of OAuth 2.0<\/bdi>: <strong>(\d+)<\/strong> of (\d+) /.exec(text)!;
    expect(Number(limit) - Number(left)).toBe(1);
    expect(text).not.toContain('>your token<');
  });

  it('adds what replicas counted, and forgets it after a day', async () => {
    const { application } = await desk();
    const { manager } = world().get(DataSource);
    const now = world().clock.now().getTime();
    const counts = Array.from({ length: 17 }, (_, i) => i);
    const minute = new Date(Math.floor(now / 60_000) * 60_000).toISOString();
    const old = new Date(now - 25 * 3_600_000).toISOString();
    const of = { applicationId: application.id, counts };
    await addMinutes(manager, [
      { ...of, minute },
      { ...of, minute: old },
    ]);
    await addMinutes(manager, [{ ...of, minute }]);
    const read = () => minutesSince(manager, application.id, new Date(0).toISOString());
    expect((await read()).map(({ counts: each }) => each)).toEqual([counts, counts.map((each) => 2 * each)]);
    await world().get(JournalRetentionJob).clear();
    expect(await read()).toHaveLength(1);
  });

  const openPage = useBrowser();
  if (hasChromium)
    it.each(Object.entries(DEVICES))(
      'is whole in a browser, %s',
      async (device, options) => {
        const { owner, account, api, path } = await desk();
        const page = await openPage(options);
        const problems = problemsOf(page);
        for (let i = 0; i < 5; i++) await api.get(`/12/accounts/${account.id}/campaigns`);
        await api.post(`/12/accounts/${account.id}/campaigns`);
        await api.get(`/12/accounts/${account.id}/campaign`);
        await signIn(page, owner);
        await page.goto(`${world().url}${path}`);
        await page.getByRole('img', { name: 'Requests of each of the last 60 minutes' }).waitFor();
        await checkPage(page, `${device}-overview`);
        expect(problems).toEqual([]);
      },
      60_000,
    );
});
