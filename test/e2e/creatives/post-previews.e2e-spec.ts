import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { PromotableUsersService } from '../../../src/accounts/promotable-users/promotable-users.service.js';
import { useApp, world } from '../../support/app.js';
import { anonymously } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { card, draft, pathIn, published, scheduled, notification } from './previewed.js';
import { enqueue } from '../../../src/common/jobs/enqueue.js';
import { OLD_NOTIFICATIONS, OldNotificationsJob } from '../../../src/creatives/post-previews/old-notifications.job.js';
import { PreviewLinks } from '../../../src/creatives/post-previews/preview-links.js';
import type { PostType } from '../../../src/creatives/posts/post.presenter.js';
import { PASSWORD, person, Visitor } from '../auth/visitor.js';
import { send } from '../../support/http.js';

useApp();

describe('post previews', () => {
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

    it('show one scheduled post by its path, as the list does, and no draft, other account or deleted post', async () => {
      const advertiser = await given.advertiser();
      const { account, api } = advertiser;
      const { id } = await scheduled(account, { text: 'Tea at noon' });
      const at = (other: string) => api.get(`/12/accounts/${account.id}/scheduled_posts/preview/${other}`);
      const { status, body } = await at(id);
      expect({ status, params: body.request.params, ids: idsOf(body.data) }).toEqual({
        status: 200,
        params: { account_id: account.id, scheduled_post_id: id },
        ids: [id],
      });
      const page = await pageOf(body.data[0]);
      expect([page.status, page.text.includes('Tea at noon')]).toEqual([200, true]);
      const [listed] = await previews(advertiser, 'SCHEDULED', [id]);
      const withoutLink = ({ preview }: Preview) => preview.replace(/ src='[^']*'/, '');
      expect(withoutLink(body.data[0])).toBe(withoutLink(listed));

      const foreign = await scheduled((await given.advertiser()).account);
      const deleted = await scheduled(account, { deletedAt: world().clock.now().toISOString() });
      const drafted = await draft(account);
      for (const other of [foreign.id, deleted.id, drafted.id, '99999999999999999999999', 'x']) {
        const { status, body } = await at(other);
        expect({ status, errors: body.errors }).toMatchObject({
          status: 404,
          errors: [{ code: 'NOT_FOUND', parameter: 'scheduled_post_id' }],
        });
      }
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

      await world().get(PromotableUsersService).remove(account.id, userId);
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
});

describe('post preview pages', () => {
  const DAY_MS = 24 * 3_600_000;
  const linkTo = (accountId: string, postType: PostType, postId: string): string =>
    new URL(world().get(PreviewLinks).to({ accountId, postType, postId })).pathname;
  const open = (path: string) => anonymously('GET', path);
  const headingOf = (text: string) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];

  describe('the page of a preview', () => {
    it('is made to be framed, runs nothing, knows nobody, and is not kept', async () => {
      const { account } = await given.advertiser();
      const { id } = await draft(account);
      const { status, headers, text } = await open(linkTo(account.id, 'DRAFT', id));
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
      });
      expect(headers).not.toHaveProperty('set-cookie');
      expect(headers).not.toHaveProperty('x-frame-options');
      expect(String(headers['content-security-policy']).split('; ')).toEqual([
        "default-src 'none'",
        expect.stringMatching(/^style-src 'sha256-[\w+/=]{44}'$/),
        'img-src http://localhost:3000/media/',
        'media-src http://localhost:3000/media/',
        "base-uri 'none'",
        "form-action 'none'",
        'sandbox allow-popups allow-popups-to-escape-sandbox',
      ]);
      expect(text).not.toMatch(/<script|<form|\son\w+=|\sstyle=/i);
    });

    it('shows the post as it is when it is opened', async () => {
      const { account } = await given.advertiser();
      const { id } = await draft(account, { text: 'As it was' });
      const path = linkTo(account.id, 'DRAFT', id);
      expect((await open(path)).text).toContain('As it was');
      await world().sql(`UPDATE draft_posts SET text = 'As it is' WHERE id = $1`, id);
      expect((await open(path)).text).toContain('As it is');
      await world().sql(`UPDATE draft_posts SET "deletedAt" = now() WHERE id = $1`, id);
      const gone = await open(path);
      expect([gone.status, headingOf(gone.text)]).toEqual([404, 'This post no longer exists']);
    });

    it('is nothing once the account is deleted', async () => {
      const { account, user } = await given.advertiser();
      const { id } = await draft(account);
      const path = linkTo(account.id, 'DRAFT', id);
      await given.deletedAccount('production', account.id, user.id);
      expect((await open(path)).status).toBe(404);
    });

    it('can be opened for 24 hours', async () => {
      const { account } = await given.advertiser();
      const { id } = await draft(account);
      world().clock.set(new Date('2026-11-22T12:00:00Z'));
      const path = linkTo(account.id, 'DRAFT', id);
      world().clock.advance(DAY_MS - 1_000);
      expect((await open(path)).status).toBe(200);
      world().clock.advance(1_000);
      const expired = await open(path);
      expect([expired.status, headingOf(expired.text)]).toEqual([410, 'This preview has expired']);
      expect(expired.headers['content-security-policy']).not.toContain('frame-ancestors');
    });

    it('cannot be found by changing an address: another post, account, type or time, or a broken signature', async () => {
      const { account } = await given.advertiser();
      const other = await given.advertiser();
      const { id } = await draft(account, { text: 'Secret' });
      const { id: foreign } = await draft(other.account);
      const token = linkTo(account.id, 'DRAFT', id).slice('/previews/'.length);
      const [letter, accountId, postId, end, signature] = token.split('.');
      const later = (parseInt(end, 36) + 1_000).toString(36);
      const changed = [
        [letter, other.account.id, foreign, end, signature],
        [letter, other.account.id, postId, end, signature],
        ['p', accountId, postId, end, signature],
        [letter, accountId, postId, later, signature],
        [letter, accountId, postId, end, signature.slice(1)],
        [letter, accountId, postId, end, ''],
        [letter, accountId, postId, end, signature, signature],
        [letter, `${accountId}.${postId}`, end, '', signature],
        [letter, accountId, postId, end],
        ['', '', '', '', ''],
        ['x'.repeat(5_000)],
      ].map((parts) => parts.join('.'));
      for (let at = 0; at < token.length; at += 3)
        changed.push(`${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`);
      for (const each of changed) {
        const { status, text } = await open(`/previews/${each}`);
        expect([each, status, text.includes('Secret')]).toEqual([each, 404, false]);
        expect(headingOf(text)).toBe('This preview does not exist');
      }
      expect((await open(`/previews/${token}`)).status).toBe(200);
      // A proxy in front refuses this one itself.
      expect([400, 404]).toContain((await open('/previews/%00')).status);
    });

    it('says when a scheduled post goes live, in the timezone of the account, and why one did not', async () => {
      const { account } = await given.advertiser({ timezone: 'Europe/Berlin' });
      const waits = await scheduled(account, { scheduledAt: '2026-12-24T17:30:00.000Z' });
      const textOf = async (id: string) => (await open(linkTo(account.id, 'SCHEDULED', id))).text;
      expect(await textOf(waits.id)).toContain(
        'Scheduled for <time datetime="2026-12-24T17:30:00Z">Dec 24, 2026, 6:30 PM GMT+1</time>',
      );
      const failed = await scheduled(account, { scheduledStatus: 'FAILED', failure: 'DUPLICATE_POST: <twice>' });
      expect(await textOf(failed.id)).toContain('DUPLICATE_POST: &lt;twice&gt;');
      const live = await scheduled(account, { scheduledStatus: 'SUCCESS', completedAt: '2026-12-24T17:30:04.000Z' });
      expect(await textOf(live.id)).toContain('>Dec 24, 2026, 6:30 PM GMT+1</time>');
      expect(await textOf(live.id)).not.toContain('Scheduled for');
    });

    it('says promoted of promoted-only posts alone', async () => {
      const { account } = await given.advertiser();
      const shown = async (nullcast: boolean) => {
        const { id } = await draft(account, { nullcast });
        return (await open(linkTo(account.id, 'DRAFT', id))).text.includes('Promoted');
      };
      expect([await shown(true), await shown(false)]).toEqual([true, false]);
    });

    it('marks mentions of users that there are, in drafts too', async () => {
      const { account, user } = await given.advertiser();
      const { id } = await draft(account, { text: `By @${user.username.toUpperCase()} and @nobody_at_all_here #tea` });
      const { text } = await open(linkTo(account.id, 'DRAFT', id));
      const tags = [...text.matchAll(/<a class="tag"[^>]*>([^<]*)<\/a>/g)].map(([, tag]) => tag);
      expect(tags).toEqual([`@${user.username.toUpperCase()}`, '#tea']);
    });

    it('names whom a post answers, and who may reply', async () => {
      const { account } = await given.advertiser();
      const asker = await person();
      const { id } = await published(account, { inReplyToUserId: asker.id, conversationSettings: 'FOLLOWING' });
      const { text } = await open(linkTo(account.id, 'PUBLISHED', id));
      expect(text).toMatch(new RegExp(`Replying to <a [^>]*>@${asker.username}</a>`));
      expect(text).toContain('follows or mentioned can reply');
    });

    it('names whom a post answers that begins with a mention, published or not', async () => {
      const { account, user } = await given.advertiser();
      const asker = await person();
      const answers = await given.post({ account, text: `@${asker.username.toUpperCase()} thank you` });
      const mentions = await given.post({ account, text: `Thank you, @${asker.username}` });
      const drafted = await given.draftPost({ account, text: `@${asker.username} a draft by @${user.username}` });
      const isReply = async (type: PostType, id: string) =>
        new RegExp(`Replying to <a [^>]*>@${asker.username}</a>`).test((await open(linkTo(account.id, type, id))).text);
      expect([
        await isReply('PUBLISHED', answers.id),
        await isReply('PUBLISHED', mentions.id),
        await isReply('DRAFT', drafted.id),
      ]).toEqual([true, false, true]);
    });

    it('shows the first frame of a video in a conversation card, whatever poster the library has', async () => {
      const { account } = await given.advertiser();
      const { id: libraryId, mediaKey, posterFile } = await given.libraryMedia(account, { category: 'POST_VIDEO' });
      const { id: cardId } = await given.videoConversationCard(account, { media_key: mediaKey });
      const { id } = await draft(account, { cardId });
      await world().sql(`UPDATE library_media SET "posterFile" = 'another-poster.jpg' WHERE id = $1`, libraryId);
      const { text } = await open(linkTo(account.id, 'DRAFT', id));
      expect([text.includes(`poster="http://localhost:3000/media/${posterFile}"`), text.includes('another')]).toEqual([
        true,
        false,
      ]);
    });

    it('shows media removed from the library in posts that are live and in cards, not in drafts', async () => {
      const { account } = await given.advertiser();
      const { id: mediaId, mediaKey, file } = await given.libraryMedia(account);
      const details = { type: 'DETAILS', title: 'Tea', destination: { type: 'WEBSITE', url: 'https://tea.example/' } };
      const components = [{ type: 'MEDIA', media_key: mediaKey }, details];
      const { id: cardId } = await card(account, 'COMPONENTS', { components }, { mediaKeys: [mediaKey] });
      const posts: [PostType, string][] = [
        ['DRAFT', (await draft(account, { mediaKeys: [mediaKey] })).id],
        ['SCHEDULED', (await scheduled(account, { mediaKeys: [mediaKey] })).id],
        ['PUBLISHED', (await published(account, { mediaKeys: [mediaKey] })).id],
        ['DRAFT', (await draft(account, { cardId })).id],
      ];
      const seen = () =>
        Promise.all(
          posts.map(async ([type, id]) => {
            const { text } = await open(linkTo(account.id, type, id));
            expect(text.includes('Media that no longer exists')).toBe(!text.includes(file));
            return text.includes(`src="http://localhost:3000/media/${file}"`);
          }),
        );
      expect(await seen()).toEqual([true, true, true, true]);
      await world().sql('UPDATE library_media SET "deletedAt" = now() WHERE id = $1', mediaId);
      expect(await seen()).toEqual([false, false, true, true]);
    });

    it('shows media that are in no library, as of posts that nobody advertised', async () => {
      const { account } = await given.advertiser();
      const { id, mediaKey, file } = await given.libraryMedia(account);
      await world().sql('DELETE FROM library_media WHERE id = $1', id);
      const post = await published({ id: null, userId: account.userId }, { mediaKeys: [mediaKey, '3_1'] });
      const { text } = await open(linkTo(account.id, 'PUBLISHED', post.id));
      expect([text.includes(file), text.includes('Media that no longer exists')]).toEqual([true, true]);
    });

    it('says that a card was deleted', async () => {
      const { account } = await given.advertiser();
      const poll = { choices: ['Tea', 'Coffee'], duration_in_minutes: 5, media_key: null };
      const made = await card(account, 'POLL', poll, {
        endsAt: new Date(world().clock.now().getTime() + 90_000).toISOString(),
      });
      const { id } = await draft(account, { cardId: made.id });
      const path = linkTo(account.id, 'DRAFT', id);
      expect((await open(path)).text).toContain('1 minute left');
      world().clock.advance(100_000);
      expect((await open(path)).text).toContain('Final results');
      await world().sql('UPDATE cards SET "deletedAt" = now() WHERE id = $1', made.id);
      expect((await open(path)).text).toContain('The card of this post was deleted.');
    });
  });

  describe('notifications', () => {
    const signedInWithAccount = async () => {
      const user = await person();
      const account = await given.account({ userId: user.id });
      return { user, account, visitor: await new Visitor().signIn(user.username) };
    };
    const linksIn = (text: string) =>
      [...text.matchAll(/href="(\/notifications\/[^"]+)"[^>]*>([^<]*)</g)].map(([, path, label]) => ({ path, label }));

    it('ask who somebody is, and come back', async () => {
      const user = await person();
      const visitor = await new Visitor().get('/notifications');
      expect(visitor.heading).toBe('Sign in');
      const next = /name="next" value="([^"]*)"/.exec(visitor.page.text)![1];
      await visitor.post('/oauth/sign_in', { csrf: visitor.csrf, username: user.username, password: 'wrong', next });
      expect(visitor.page.text).toContain('name="next" value="notifications"');
      await visitor.post('/oauth/sign_in', { csrf: visitor.csrf, username: user.username, password: PASSWORD, next });
      expect([visitor.page.status, visitor.location]).toEqual([303, '/notifications']);
      await visitor.get('/notifications');
      expect(visitor.page.text).toContain('No previews yet.');
      expect(visitor.page.text).toContain('<a href="/notifications">Notifications</a>');
    });

    it.each(['https://evil.example', '//evil.example', 'toString', '__proto__', '/oauth/authorize'])(
      'lead back to our own pages alone: not to %s',
      async (next) => {
        const user = await person();
        const visitor = await new Visitor().get('/oauth/sign_in');
        await visitor.post('/oauth/sign_in', { csrf: visitor.csrf, username: user.username, password: PASSWORD, next });
        expect(visitor.location).toBe('/oauth/applications');
      },
    );

    it('name drafts, the newest first, and open them in a timeline', async () => {
      const { user, account, visitor } = await signedInWithAccount();
      const drafts = [
        await draft(account, { name: 'Named <b>', text: 'The first' }),
        await draft(account, { text: `Of  many\nwords ${'x'.repeat(100)}` }),
        await draft(account, { text: '' }),
      ];
      for (const each of drafts) await notification(user.id, each);
      await visitor.get('/notifications');
      const links = linksIn(visitor.page.text);
      expect(links.map(({ label }) => label)).toEqual([
        'A draft without text',
        `Of many words ${'x'.repeat(65)}…`,
        'Named &lt;b&gt;',
      ]);
      const news = () => visitor.page.text.split('<strong>New</strong>').length - 1;
      expect(news()).toBe(3);

      await visitor.get(links[2].path);
      expect(visitor.page.text).toContain('The first');
      expect(visitor.page.text).toContain(`Only you, @${user.username}, see this`);
      expect(visitor.page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(visitor.page.headers['x-frame-options']).toBe('DENY');
      await visitor.get('/notifications');
      expect(news()).toBe(2);
      await visitor.get(links[2].path);
      expect(visitor.page.status).toBe(200);
    });

    it('are seen by nobody else', async () => {
      const { user, account } = await signedInWithAccount();
      const { id } = await notification(user.id, await draft(account, { text: 'Secret' }));
      const colleague = await person();
      await world().get(MembershipsService).grant(account.id, colleague.id, 'ACCOUNT_ADMIN');
      const other = await new Visitor().signIn(colleague.username);
      await other.get('/notifications');
      expect(other.page.text).not.toContain('Secret');
      await other.get(`/notifications/${id}`);
      expect([other.page.status, other.heading]).toEqual([404, 'This draft no longer exists']);
      const stranger = await new Visitor().get(`/notifications/${id}`);
      expect(stranger.heading).toBe('Sign in');
      expect(await world().sql('SELECT seen FROM preview_notifications WHERE id = $1', id)).toEqual([{ seen: false }]);
    });

    it('go with the membership, and with the draft', async () => {
      const { user, account, visitor } = await signedInWithAccount();
      const made = await draft(account, { text: 'For a while' });
      const { id } = await notification(user.id, made);
      await visitor.get(`/notifications/${id}`);
      expect(visitor.page.status).toBe(200);
      await world().sql('UPDATE draft_posts SET "deletedAt" = now() WHERE id = $1', made.id);
      await visitor.get('/notifications');
      expect(visitor.page.text).toContain('Deleted draft');
      await visitor.get(`/notifications/${id}`);
      expect(visitor.page.status).toBe(404);
      await world().sql('DELETE FROM account_memberships WHERE "userId" = $1', user.id);
      await visitor.get('/notifications');
      expect(visitor.page.text).toContain('No previews yet.');
    });

    it('are the newest 50', async () => {
      const { user, account, visitor } = await signedInWithAccount();
      for (let i = 1; i <= 52; i++) await notification(user.id, await draft(account, { text: `Number ${i}.` }));
      await visitor.get('/notifications');
      const links = linksIn(visitor.page.text);
      expect([links.length, links[0].label, links[49].label]).toEqual([50, 'Number 52.', 'Number 3.']);
    });

    it('are kept for 30 days', async () => {
      const { user, account } = await signedInWithAccount();
      const now = world().clock.now().getTime();
      const made = async (ago: number) => {
        const createdAt = new Date(now - ago).toISOString();
        return (await notification(user.id, await draft(account), { createdAt })).id;
      };
      const old = await made(30 * DAY_MS + 60_000);
      const young = await made(30 * DAY_MS - 60_000);
      const left = () =>
        world().sql<{ id: string }>('SELECT id FROM preview_notifications WHERE id = ANY($1)', [old, young]);
      await enqueue(world().get(DataSource).manager, OLD_NOTIFICATIONS, {});
      for (let waits = 0; waits < 100 && (await left()).length > 1; waits++) await pause(100);
      expect(await left()).toEqual([{ id: young }]);
      expect(await world().get(OldNotificationsJob).removeOld(AbortSignal.abort())).toBe(0);
    });
  });
});

describe('post preview limits', () => {
  useApp({
    RATE_LIMITS: 'faithful',
    RATE_LIMIT_PREVIEWS: '3/900',
    RATE_LIMIT_PAGES: '1/900',
    TRUST_PROXY: '127.0.0.1',
  });

  describe('previews', () => {
    it('are counted per address, apart from other pages, and say in their frame how long to wait', async () => {
      const { account } = await given.advertiser();
      const { id } = await draft(account);
      const link = world().get(PreviewLinks).to({ accountId: account.id, postType: 'DRAFT', postId: id });
      const open = (address: string) =>
        send(world().direct, new URL(link).pathname, { method: 'GET', headers: { 'x-forwarded-for': address } });
      for (const left of ['2', '1', '0'])
        expect(await open('10.9.0.1')).toMatchObject({ status: 200, headers: { 'x-rate-limit-remaining': left } });
      const { status, headers, text } = await open('10.9.0.1');
      expect([status, headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
      expect(text).toMatch(/Please try again in \d+ seconds\./);
      expect(headers['content-security-policy']).not.toContain('frame-ancestors');
      expect(headers['retry-after']).toMatch(/^\d+$/);
      expect((await open('10.9.0.2')).status).toBe(200);
    });
  });
});
