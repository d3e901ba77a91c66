import { AdministrationService } from '../../../src/accounts/administration.service.js';
import { useApp, world } from '../../support/app.js';
import { anonymously } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { card, draft, pathIn, published, scheduled } from './previewed.js';

useApp();

type Preview = { post_id: string; preview: string };

const previews = async ({ account, api }: Advertiser, post_type: string, ids: string[]) => {
  const { status, body } = await api.get(`/12/accounts/${account.id}/post_previews`, {
    query: { post_ids: ids.join(), post_type },
  });
  expect(status).toBe(200);
  return body.data as Preview[];
};
const idsOf = (found: Preview[]) => found.map(({ post_id }) => post_id);
const pageOf = (preview: Preview) => anonymously('GET', pathIn(preview.preview));

describe('previews of posts', () => {
  it('are frames, in the order asked, each of its own post', async () => {
    const advertiser = await given.advertiser();
    const { account, api } = advertiser;
    const made = [];
    for (const text of ['The first', 'The second', 'The third']) made.push(await draft(account, { text }));
    const [first, second, third] = made;
    const query = { post_ids: `${second.id},${third.id},${first.id},${second.id}`, post_type: 'DRAFT' };
    const { status, body } = await api.get(`/12/accounts/${account.id}/post_previews`, { query });
    expect(status).toBe(200);
    expect(Object.keys(body as object).sort()).toEqual(['data', 'request']);
    expect(body.request.params).toEqual({
      account_id: account.id,
      post_ids: [second.id, third.id, first.id],
      post_type: 'DRAFT',
    });
    const found = body.data as Preview[];
    expect(idsOf(found)).toEqual([second.id, third.id, first.id]);
    for (const [i, text] of ['The second', 'The third', 'The first'].entries()) {
      const page = await pageOf(found[i]);
      expect([page.status, page.text.includes(text)]).toEqual([200, true]);
    }
  });

  it('say how large they are and what they are called, and may open windows, nothing else', async () => {
    const advertiser = await given.advertiser();
    const { id } = await draft(advertiser.account, { text: 'One line' });
    const [{ preview }] = await previews(advertiser, 'DRAFT', [id]);
    expect(preview).toMatch(/^<iframe class='post-preview' src='http:\/\/localhost:3000\/previews\/[\w.-]+' /);
    expect(preview).toContain(` title='Preview of a post of @${advertiser.user.username}' width='550' height='`);
    expect(preview).toContain(` sandbox='allow-popups allow-popups-to-escape-sandbox' `);
    expect(preview).toMatch(/><\/iframe>$/);
    const long = await draft(advertiser.account, { text: 'A longer text '.repeat(19) });
    const [higher] = await previews(advertiser, 'DRAFT', [long.id]);
    const height = (text: string) => Number(/ height='(\d+)'/.exec(text)![1]);
    expect(height(higher.preview)).toBeGreaterThan(height(preview));
  });

  it('leave out what is not of the type, deleted, unknown, or of another account', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const foreign = await given.advertiser();
    const ids = {
      draft: (await draft(account)).id,
      deleted: (await draft(account, { deletedAt: world().clock.now().toISOString() })).id,
      scheduled: (await scheduled(account)).id,
      published: (await published(account)).id,
      foreign: (await draft(foreign.account)).id,
      foreignScheduled: (await scheduled(foreign.account)).id,
      foreignPublished: (await published(foreign.account)).id,
      unknown: '99999999999999999999999',
    };
    const all = Object.values(ids);
    expect(idsOf(await previews(advertiser, 'DRAFT', all))).toEqual([ids.draft]);
    expect(idsOf(await previews(advertiser, 'SCHEDULED', all))).toEqual([ids.scheduled]);
    expect(idsOf(await previews(advertiser, 'PUBLISHED', all))).toEqual([ids.published]);
    expect(await previews(advertiser, 'PUBLISHED', [ids.unknown])).toEqual([]);
  });

  it('show drafts and scheduled posts of whoever made them in the account', async () => {
    const advertiser = await given.advertiser();
    const { userId } = await given.promotableUser(advertiser.account);
    const { id } = await draft(advertiser.account, { userId });
    const later = await scheduled(advertiser.account, { userId });
    expect(idsOf(await previews(advertiser, 'DRAFT', [id]))).toEqual([id]);
    expect(idsOf(await previews(advertiser, 'SCHEDULED', [later.id]))).toEqual([later.id]);
  });

  it('show posts of promotable users: of others than the FULL one promoted-only ones that the account made', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const other = await given.advertiser();
    const { userId } = await given.promotableUser(account, 'RETWEETS_ONLY');
    const of = (authorId: string, accountId: string | null, nullcast: boolean) =>
      published({ id: accountId, userId: authorId }, { nullcast });
    const fullElsewhere = await of(account.userId, other.account.id, true);
    const organic = await of(userId, null, false);
    const madeHere = await of(userId, account.id, true);
    const madeElsewhere = await of(userId, other.account.id, true);
    const nobodys = await of(other.user.id, other.account.id, false);
    const all = [fullElsewhere, organic, madeHere, madeElsewhere, nobodys].map(({ id }) => id);
    const seen = [fullElsewhere.id, organic.id, madeHere.id];
    const found = await previews(advertiser, 'PUBLISHED', all);
    expect(idsOf(found)).toEqual(seen);

    await world().get(AdministrationService).removePromotableUser(account.id, userId);
    expect(idsOf(await previews(advertiser, 'PUBLISHED', all))).toEqual([fullElsewhere.id]);
    expect((await pageOf(found[1])).status).toBe(404);
    expect((await pageOf(found[0])).status).toBe(200);
  });

  it('are 200 at a time, cards and media included', async () => {
    const advertiser = await given.advertiser();
    const { account } = advertiser;
    const media = await given.libraryMedia(account);
    const details = { type: 'DETAILS', title: 'Tea', destination: { type: 'WEBSITE', url: 'https://tea.example/' } };
    const components = [{ type: 'MEDIA', media_key: media.mediaKey }, details];
    const { id: cardId } = await card(account, 'COMPONENTS', { components }, { mediaKeys: [media.mediaKey] });
    const ids: string[] = [];
    for (let i = 0; i < 200; i++)
      ids.push((await draft(account, i % 2 ? { cardId } : { mediaKeys: [media.mediaKey] })).id);
    const asked = ids.toReversed();
    expect(idsOf(await previews(advertiser, 'DRAFT', asked))).toEqual(asked);
  });

  it('name everything that is wrong with a request', async () => {
    const { account, api } = await given.advertiser();
    const refused = async (query: Record<string, string>) => {
      const { status, body } = await api.get(`/12/accounts/${account.id}/post_previews`, { query });
      expect(status).toBe(400);
      return (body.errors as { code: string; parameter: string; message: string }[]).map(
        ({ code, parameter, message }) => [code, parameter, message],
      );
    };
    expect(await refused({})).toEqual([
      ['MISSING_PARAMETER', 'post_ids', '"post_ids" is a required parameter'],
      ['MISSING_PARAMETER', 'post_type', '"post_type" is a required parameter'],
    ]);
    expect(await refused({ post_ids: '12x', post_type: 'LIVE' })).toEqual([
      ['INVALID_PARAMETER', 'post_ids', 'Expected Long, got "12x" for post_ids'],
      ['INVALID_PARAMETER', 'post_type', 'Expected a value in DRAFT, PUBLISHED, SCHEDULED, got "LIVE" for post_type'],
    ]);
    const many = Array.from({ length: 201 }, (_, i) => String(i + 1)).join();
    expect(await refused({ post_ids: many, post_type: 'DRAFT' })).toEqual([
      ['INVALID_PARAMETER', 'post_ids', 'A maximum of 200 items can be provided for post_ids'],
    ]);
  });

  it('are for roles that see creatives', async () => {
    const { account } = await given.advertiser();
    const { id } = await draft(account);
    const query = { post_ids: id, post_type: 'DRAFT' };
    const path = `/12/accounts/${account.id}/post_previews`;
    const analyst = await given.member(account, 'CAMPAIGN_ANALYST');
    expect((await analyst.api.get(path, { query })).status).toBe(200);
    const partner = await given.member(account, 'PARTNER_AUDIENCE_MANAGER');
    expect((await partner.api.get(path, { query })).status).toBe(403);
    const stranger = await given.advertiser();
    expect((await stranger.api.get(path, { query })).status).toBe(404);
  });

  it('are of the sandbox in the sandbox', async () => {
    const advertiser = await given.advertiser({ environment: 'sandbox' });
    const { id } = await draft(advertiser.account, { text: 'In the sand' });
    const [found] = await previews(advertiser, 'DRAFT', [id]);
    expect((await pageOf(found)).text).toContain('In the sand');
  });
});
