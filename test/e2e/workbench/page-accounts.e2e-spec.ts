import type { Page } from 'playwright-core';
import type { User } from '../../../src/auth/credentials/user.entity.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import type { Role } from '../../../src/accounts/access/roles.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { Api } from '../../support/api.js';
import { useSharedApp, world } from '../../support/app.js';
import { inBrowser, openBrowser, type OpenBrowser } from '../../support/browser.js';
import { given, type Application } from '../../support/given.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { SpendingService } from '../../../src/campaigns/spending/spending.service.js';
import { FaultsService } from '../../../src/workbench/faults/faults.service.js';
import { CreateFault } from '../../../src/workbench/faults/faults.dto.js';
import { application as registered, person, Visitor } from '../auth/visitor.js';
import { checkPage, DEVICES, HOSTILE, problemsOf, signIn } from './visited-page.js';

describe('the accounts of the workbench', () => {
  useSharedApp();

  let owner: Row<User>;
  let application: Application;
  let account: ActingAccount;
  let section: string;
  let api: Api;

  beforeEach(async () => {
    owner = await person();
    application = await registered({ ownerId: owner.id, name: 'Desk' });
    account = await given.account({ userId: owner.id, name: 'Trial & error' });
    section = `/workbench/applications/${application.id}/accounts`;
    const token = await world().get(AccessTokensService).issue(owner.id, application.id, 'write');
    api = new Api({ consumer: application.consumer, token });
  });

  const visitorOf = (user: Row<User>) => new Visitor().signIn(user.username);
  const jsonOf = (html: string): unknown =>
    JSON.parse(
      /<code id="json">(.*?)<\/code>/s
        .exec(html)![1]
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&'),
    );

  it('lists the accounts of both environments, and those of others are 404', async () => {
    const sandbox = await given.account({ userId: owner.id, environment: 'sandbox', name: 'Playground' });
    const foreign = (await given.advertiser()).account;
    const visitor = await visitorOf(owner);
    const { page } = await visitor.get(section);
    for (const { id } of [account, sandbox]) expect(page.text).toContain(`href="${section}/${id}"`);
    expect(page.text).toContain('Trial &amp; error');
    expect(page.text).not.toContain(foreign.id);
    await visitor.get(`${section}?q=play`);
    expect([visitor.page.text.includes(sandbox.id), visitor.page.text.includes(account.id)]).toEqual([true, false]);
    for (const path of ['', '/campaigns', '/campaigns/abc', '/nothing']) {
      expect((await visitor.get(`${section}/${foreign.id}${path}`)).page.status).toBe(404);
    }
    expect((await visitor.get(`${section}/${account.id}/nothing`)).page.status).toBe(404);
    const stranger = await visitorOf(await person());
    expect((await stranger.get(`${section}/${account.id}`)).page.status).toBe(404);
  });

  it('shows what the API answers to the user, and why it does not serve', async () => {
    const { body } = await api.post(`/12/accounts/${account.id}/campaigns`, {
      form: {
        name: 'Autumn <1>',
        funding_instrument_id: (await given.fundingInstrument({ account })).id,
        daily_budget_amount_local_micro: '5500000',
        total_budget_amount_local_micro: '20000000',
        entity_status: 'PAUSED',
      },
    });
    const campaign = body.data as { id: string; funding_instrument_id: string };
    await api.put(`/12/accounts/${account.id}/campaigns/${campaign.id}`, { form: { name: 'Winter <1>' } });
    const amount = { campaign_id: campaign.id, amount_local_micro: 5_000_000 };
    await world().get(SpendingService).spend(account, campaign.funding_instrument_id, amount);
    const visitor = await visitorOf(owner);
    const { page } = await visitor.get(`${section}/${account.id}/campaigns/${campaign.id}`);
    expect(page.status).toBe(200);
    const answer = await api.get(`/12/accounts/${account.id}/campaigns/${campaign.id}`, {
      query: { with_deleted: 'true' },
    });
    expect(jsonOf(page.text)).toEqual(answer.body);
    expect((answer.body.data as { effective_status: string }).effective_status).toBe('UNKNOWN');
    expect(page.text).toMatch(/class="state ">Paused</);
    expect(page.text).toContain('0.00 of 5.50 USD today');
    expect(page.text).toContain('5.00 of 20.00 USD total');
    expect(page.text).toContain('<span class="field">budget_optimization</span> <bdi>CAMPAIGN</bdi>');
    expect(page.text).not.toContain('<span class="field">purchase_order_number</span>');
    expect(page.text).toContain('The campaign is PAUSED. It has no line item with a creative.');
    const command = `npx marquee request PUT /12/accounts/${account.id}/campaigns/${campaign.id} entity_status=ACTIVE`;
    expect(page.text).toContain(`data-copy="${command}"`);
    expect(page.text).toContain('<code>name</code> <bdi>&quot;Autumn &lt;1&gt;&quot;</bdi>');
    // another replica may store the request a moment later
    const link = /requests\/(\w+)">POST <bdi>/;
    let shown = page.text;
    while (!link.test(shown))
      shown = (await visitor.get(`${section}/${account.id}/campaigns/${campaign.id}`)).page.text;
    const [, created] = link.exec(shown)!;
    const { text } = (await visitor.get(`${section.replace('accounts', 'requests')}/${created}`)).page;
    expect(text).toContain(campaign.id);

    await api.put(`/12/accounts/${account.id}/campaigns/${campaign.id}`, { form: { entity_status: 'ACTIVE' } });
    await visitor.get(`${section}/${account.id}/campaigns`);
    expect(visitor.page.text).toMatch(/class="state bad">Incomplete</);
  });

  it('says in an empty list how the first one is created', async () => {
    const funding = await given.fundingInstrument({ account });
    const visitor = await visitorOf(owner);
    /** Sends what the page says, and returns the id of what it created. */
    const followed = async (path: string, changes: Record<string, string> = {}) => {
      const { text } = (await visitor.get(`${section}/${account.id}/${path}`)).page;
      const [, target, params] = /<code>npx marquee request POST (\S+) ([^<]*)<\/code>/.exec(text)!;
      const form = Object.fromEntries(params.split(' ').map((param) => param.split('=') as [string, string]));
      const answer = await api.post(target, { form: { ...form, ...changes } });
      expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
      return (answer.body.data as { id: string }).id;
    };
    const campaign = await followed('campaigns', { funding_instrument_id: funding.id });
    const below = await followed(`line_items?campaign_ids=${campaign}`);
    await followed(`targeting_criteria?line_item_ids=${below}`);
    await followed('custom_audiences');
    for (const [path, id] of [
      ['campaigns', campaign],
      [`line_items?campaign_ids=${campaign}`, below],
    ])
      expect((await visitor.get(`${section}/${account.id}/${path}`)).page.text).toContain(id);
    await visitor.get(`${section}/${account.id}/campaigns?q=zzz`);
    expect(visitor.page.text).not.toContain('Create one');
    await visitor.get(`${section}/${account.id}/promoted_posts?line_item_ids=${below}`);
    expect(visitor.page.text).toContain(`promoted_posts line_item_id=${below} post_ids=:post_id`);
  });

  it('has a list of each kind below its parent, and searches by name and id', async () => {
    const item = await given.lineItem({ account, name: 'Autumn' });
    const other = await given.lineItem({ account, name: 'Winter' });
    const promoted = await given.promotedPost({ account, lineItemId: item.id });
    const criterion = await given.targetingCriterion({ account, line_item_id: item.id });
    const media = await given.mediaCreative({ account });
    const audience = await given.customAudience({ account, name: 'Autumn people' });
    const card = await given.card(account, { name: 'Autumn card' });
    const visitor = await visitorOf(owner);
    const has = async (path: string, ids: string[], without: string[] = []) => {
      const { text } = (await visitor.get(`${section}/${account.id}${path}`)).page;
      for (const id of ids) expect(text).toContain(`<code class="copy soft">${id}</code>`);
      for (const id of without) expect(text).not.toContain(`<code class="copy soft">${id}</code>`);
      return text;
    };
    await has('', [item.fundingInstrumentId]);
    await has(`/campaigns?funding_instrument_ids=${item.fundingInstrumentId}`, [item.campaignId], [other.campaignId]);
    await has(`/line_items?campaign_ids=${item.campaignId}`, [item.id], [other.id]);
    const posts = await has(`/promoted_posts?line_item_ids=${item.id}`, [promoted.id]);
    expect(posts).toContain('<iframe src="http');
    expect(String(visitor.page.headers['content-security-policy'])).toMatch(/frame-src http\S+;/);
    await has(`/targeting_criteria?line_item_ids=${item.id}`, [criterion.id]);
    expect(await has('/targeting_criteria', [])).toContain('Open them from a line item.');
    await has('/media_creatives', [media.id]);
    expect(await has('/custom_audiences', [audience.id])).toContain('Not targetable');
    await has('/posts', [promoted.postId]);
    expect(await has('/cards', [card.id])).toContain('<img src="http');
    await has('?search=autumn', [item.id, audience.id, card.id], [other.id]);
    await has(`?search=${other.id}`, [other.id], [item.id]);
    expect(await has('?search=zzz', [])).toContain('Nothing has this id');
    for (const [kind, id] of [
      ['targeting_criteria', criterion.id],
      ['posts', promoted.postId],
      ['cards', card.id],
      ['line_items', item.id],
    ])
      expect((await visitor.get(`${section}/${account.id}/${kind}/${id}`)).page.status).toBe(200);
    expect((await visitor.get(`${section}/${account.id}/posts/1`)).page.status).toBe(404);
    expect((await visitor.get(`${section}/${account.id}/campaigns?cursor=zzz`)).page.status).toBe(400);
  });

  it('has the permissions of the user, and leaves no trace in the journal, in limits and in faults', async () => {
    const { id: campaignId } = await given.campaign({ account });
    const campaignsFor = async (role: Role) => {
      const { user } = await given.member(account, role);
      const own = await registered({ ownerId: user.id });
      await world().sql(
        'UPDATE users SET "passwordHash" = o."passwordHash" FROM users o WHERE users.id = $1 AND o.id = $2',
        user.id,
        owner.id,
      );
      const visitor = await visitorOf(user);
      return (await visitor.get(`/workbench/applications/${own.id}/accounts/${account.id}/campaigns`)).page;
    };
    // the money that was spent is part of the statistics, which not everybody reads who reads campaigns
    expect((await campaignsFor('CAMPAIGN_ANALYST')).text).toContain('class="budgets"');
    const page = await campaignsFor('CREATIVE_MANAGER');
    expect(page.text).toContain(campaignId);
    expect(page.text).not.toContain('class="budgets"');
    const refused = await campaignsFor('ANALYST');
    expect(refused.status).toBe(403);
    expect(/role="alert">([^<]*)/.exec(refused.text)?.[1]).toContain('does not allow this action');

    const fault = Object.assign(new CreateFault(), { error_status: 503 });
    await world().get(FaultsService).create(application.id, fault);
    const desk = await visitorOf(owner);
    expect((await desk.get(`${section}/${account.id}/campaigns`)).page.status).toBe(200);
    expect((await desk.get(section.replace('accounts', 'requests'))).page.text).toContain('No requests yet');
    const answer = await new Visitor().get('/12/accounts');
    expect(answer.page.status).toBe(401);
    const { status } = await fetch(`${world().url}/12/accounts`, { headers: { authorization: 'Inside abc' } });
    expect(status).toBe(401);
  });

  inBrowser.each(Object.entries(DEVICES))('in a browser, %s', (device, options) => {
    let browser: OpenBrowser;
    let page: Page;
    let problems: string[];

    beforeEach(async () => {
      browser = await openBrowser(options);
      page = browser.page;
      problems = problemsOf(page);
    }, 60_000);
    afterEach(() => browser.close());

    async function check(name: string): Promise<void> {
      await checkPage(page, `${device}-accounts-${name}`);
      expect(problems).toEqual([]);
    }

    it('opens the tree in place, page by page', async () => {
      const funding = await given.fundingInstrument({ account });
      const campaign = await given.campaign({ account, name: HOSTILE, funding_instrument_id: funding.id });
      const [first] = await given.lineItems({ account, campaign_id: campaign.id, count: 60 });
      await given.promotedPost({ account, lineItemId: first.id });
      await given.customAudience({ account, name: 'Visitors' });
      await given.card(account);
      const noon = Math.floor(world().clock.now().getTime() / 86_400_000 - 0.5) * 86_400_000 + 43_200_000;
      const facts = Array.from({ length: 6 }, (_, i) => ({
        hour: new Date(noon - i * 86_400_000).toISOString(),
        impressions: 21_000 + 900 * i,
        engagements: 420,
        billedChargeLocalMicro: 1_180_000 + 400_000 * i,
      }));
      await given.facts(first, ...facts);

      await signIn(page, owner);
      await page.goto(`${world().url}${section}`);
      await check('accounts');
      await page.getByRole('link', { name: 'Trial & error' }).click();
      const tree = page.getByRole('main');
      await tree.getByRole('listitem').getByRole('link', { name: 'Campaigns' }).click();
      await tree.getByText(campaign.id).waitFor();
      await tree.getByRole('listitem').getByRole('link', { name: 'Line items' }).click();
      await tree.getByText('More line items').waitFor();
      const items = page.locator('.tree .tree .tree > li');
      expect(await items.count()).toBe(25);
      await tree.getByText('More line items').click();
      await items.nth(49).waitFor();
      await tree.getByText('More line items').click();
      await items.nth(59).waitFor();
      expect(await tree.getByText('More line items').count()).toBe(0);
      expect(page.url()).toBe(`${world().url}${section}/${account.id}`);
      await check('tree');
      await page.getByLabel('Name or id').fill(first.id);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('button', { name: `Copy ${first.id}` }).click();
      await page.getByText(/^(Copied|Selected)$/).waitFor();
      await check('search');
      await tree.getByRole('listitem').getByRole('link', { name: 'Promoted posts' }).click();
      await page.locator('.tree .tree iframe').waitFor();
      await check('promoted-posts');
      await page.goto(`${world().url}${section}/${account.id}/line_items/${first.id}`);
      await page.getByRole('img', { name: 'Spend and impressions' }).waitFor();
      await check('line-item');
      for (const kind of ['custom_audiences', 'posts', 'cards']) {
        await page.goto(`${world().url}${section}/${account.id}/${kind}`);
        await check(kind);
      }
    }, 120_000);
  });
});
