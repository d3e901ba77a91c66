import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { closeReceivers, type Received } from '../../support/receiver.js';
import { AccountAccessService } from '../../../src/accounts/access/account-access.service.js';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { BusinessesService } from '../../../src/accounts/accounts/businesses.service.js';
import { FeaturesService } from '../../../src/accounts/features/features.service.js';
import { AccountChange } from '../../../src/accounts/change-log/account-change.entity.js';
import { GrantsService } from '../../../src/auth/grants/grants.service.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { seedDemo } from '../../../src/demo/demo.js';
import { eventMediaOf } from '../../../src/operations/docs/events.js';
import type { DocumentSchema } from '../../../src/operations/docs/schemas.js';
import { eventOf, eventKindOf, kindOfBody, renderEvent } from '../../../src/webhooks/events/event-body.js';
import { compile } from '../../support/contract.js';
import type { Json } from '../../support/http.js';
import { CALLBACK, flow, signedIn, signedPost } from '../auth/visitor.js';
import { listening, type Listening } from './listening.js';
describe('events', () => {
  useApp();
  afterEach(closeReceivers);

  const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
  const described = new Map(
    eventMediaOf(document).map(([name, media]) => [
      name,
      { judge: compile((media as { schema: DocumentSchema }).schema), examples: media.examples ?? {} },
    ]),
  );

  /** What is wrong with an event by the schema of its kind; undefined where nothing is. */
  function faultOf(event: Record<string, unknown>): string | undefined {
    const name = Object.keys(event).find((each) => described.has(each));
    if (!name) return `there is no schema of ${Object.keys(event).join(', ')}`;
    const { judge } = described.get(name)!;
    return judge(event) ? undefined : `${name}: ${JSON.stringify(judge.errors?.slice(0, 3))}`;
  }

  describe('events', () => {
    it('of every kind have an example that is as its schema says', () => {
      for (const [name, { examples }] of described) {
        expect([name, Object.keys(examples).length]).not.toEqual([name, 0]);
        for (const [kind, { value }] of Object.entries(examples)) {
          expect([kind, faultOf(value as Record<string, unknown>)]).toEqual([kind, undefined]);
          expect(kindOfBody(value)).toBe(kind);
        }
      }
    });

    it('of all that the demo makes are as their schemas say', async () => {
      await seedDemo(world().app, world().config);
      const db = world().get(DataSource).manager;
      const changes = await rows(db, AccountChange).orderBy('id').getMany();
      const faults = new Map<string, string | undefined>();
      for (const told of changes.map(eventOf)) {
        const fault = faultOf(JSON.parse(renderEvent(told)) as Record<string, unknown>);
        if (fault || !faults.has(eventKindOf(told))) faults.set(eventKindOf(told), fault);
      }
      expect(faults.size).toBeGreaterThan(20);
      expect([...faults].filter(([, fault]) => fault !== undefined)).toEqual([]);
    }, 60_000);
  });

  describe('card_events', () => {
    it('name hashtags, posts and choices as requests do', async () => {
      const { advertiser, receiver } = await listening();
      const { account, api } = advertiser;
      const { mediaKey: media_key } = await given.libraryMedia(account);
      const path = `/12/accounts/${account.id}/cards`;
      const asked = { title: 'Which one?', thank_you_text: 'Thanks', media_key };
      const form = { ...asked, name: 'Tea', first_cta: '#tea', first_cta_post: 'Tea, please' };
      const { body } = await api.post(`${path}/image_conversation`, { form });
      const changes = { first_cta: '#chai', second_cta: '#coffee', second_cta_post: 'Coffee, please' };
      await api.put(`${path}/image_conversation/${body.data.id}`, { form: changes });
      const choices = { first_choice: 'Tea', second_choice: 'Coffee' };
      await api.post(`${path}/poll`, { form: { name: 'Poll', duration_in_minutes: '60', ...choices } });
      const events = await receiver.until(3, ({ event }) => 'card_events' in event);
      const told = events.map(({ event }) => (event.card_events as Json[])[0]);
      expect(told.find(({ data }) => data.name === 'Poll').data).toMatchObject(choices);
      expect(told.find(({ data }) => data.first_cta === '#chai')).toMatchObject({
        data: { ...asked, ...changes, first_cta_post: 'Tea, please' },
        changes: {
          first_cta: { old: '#tea', new: '#chai' },
          second_cta: { old: null, new: '#coffee' },
          second_cta_post: { old: null, new: 'Coffee, please' },
        },
      });
    });
  });

  const revoked = ({ event }: Received) => 'user_event' in event;

  describe('user_event.revoke', () => {
    it('comes where an access token is invalidated, to the webhooks of its application', async () => {
      const [own, other] = [await listening(), await listening()];
      const { consumer, token } = own.advertiser.credentials;
      const { status } = await signedPost('/1.1/oauth/invalidate_token', { consumer, token });
      expect(status).toBe(200);
      const [{ event }] = await own.receiver.until(1, revoked);
      expect(event).toMatchObject({
        for_user_id: own.advertiser.user.id,
        user_event: {
          revoke: { target: { app_id: own.application.id }, source: { user_id: own.advertiser.user.id } },
        },
      });
      expect(faultOf(event)).toBeUndefined();
      expect(other.receiver.received.filter(revoked)).toEqual([]);
    });

    it('comes once where a user disconnects an application, however many tokens it has', async () => {
      const own = await listening();
      const { user, visitor } = await signedIn();
      await flow(own.application.consumer, visitor);
      await given.client({ application: own.application });
      await visitor.get('/oauth/applications');
      await visitor.post('/oauth/applications', { csrf: visitor.csrf, application_id: own.application.id });
      const [{ event }] = await own.receiver.until(1, revoked);
      expect(event).toMatchObject({ for_user_id: user.id });
      expect(event).not.toHaveProperty('for_account_id');
      await visitor.post('/oauth/applications', { csrf: visitor.csrf, application_id: own.application.id });
      const [{ count }] = await world().sql<{ count: number }>(
        `SELECT count(*)::int AS count FROM outgoing_events WHERE "applicationId" = $1`,
        own.application.id,
      );
      expect(count).toBe(1);
    });

    it('comes once where a user with tokens and a grant is deleted', async () => {
      const own = await listening();
      const { user } = await given.client({ application: own.application });
      const scopes = ['ads.read'] as const;
      const approved = { userId: user.id, applicationId: own.application.id, scopes, redirectUri: CALLBACK };
      await world()
        .get(GrantsService)
        .approve({ ...approved, challenge: 'x'.repeat(43), challengeMethod: 'S256' });
      await world().get(UserRemoval).delete(user.id);
      const events = await world().sql(`SELECT FROM outgoing_events WHERE "applicationId" = $1`, own.application.id);
      expect(events).toHaveLength(1);
    });
  });

  describe('GET /2/webhooks/events', () => {
    const follow = ({ api }: Listening, query: Record<string, string> = {}) => api.get('/2/webhooks/events', query);

    it('tells an application what happens in the accounts that it may read, the bytes that its webhooks get', async () => {
      const [own, other] = [await listening(), await listening()];
      const begun = await follow(own);
      expect(begun.body).toEqual({ data: [], meta: { result_count: 0, next_token: expect.any(String) } });
      const since = begun.body.meta.next_token as string;
      await given.campaign({ account: own.advertiser.account });
      await given.campaign({ account: other.advertiser.account });
      await own.receiver.until(1, ({ event }) => 'campaign_events' in event);
      world().clock.advance(2_000);
      const { body } = await follow(own, { pagination_token: since, wait_seconds: '5' });
      const sent = new Map(own.receiver.received.map(({ text, event }) => [event.event_id as string, text]));
      const told = (body.data as { event_id: string; body: string }[]).map((each) => [each.event_id, each.body]);
      expect(told.filter(([id]) => sent.has(id))).toEqual([...sent].sort());
      for (const [, text] of told)
        expect(JSON.parse(text)).toMatchObject({ for_account_id: own.advertiser.account.id });
      const after = await follow(own, { pagination_token: body.meta.next_token as string });
      expect(after.body.data).toEqual([]);
    });

    it('tells of what a request deleted, and not of what disappeared with it', async () => {
      const own = await listening();
      const { account, api } = own.advertiser;
      const { body: begun } = await follow(own);
      await given.sharesOutside(account);
      const campaign = await given.campaign({ account });
      const item = await given.lineItem({ account, campaign_id: campaign.id });
      await given.promotedPost({ account, lineItemId: item.id });
      const audience = await given.customAudience({ account });
      await given.sharedAudience({ account, audience, to: (await given.advertiser()).account });
      for (const below of [`campaigns/${campaign.id}`, `custom_audiences/${audience.id}`])
        expect((await api.delete(`/12/accounts/${account.id}/${below}`)).status).toBe(200);
      world().clock.advance(2_000);
      const { body } = await follow(own, { pagination_token: begun.meta.next_token as string, wait_seconds: '5' });
      const kinds = (body.data as { body: string }[]).map((each) => kindOfBody(JSON.parse(each.body) as object));
      expect(kinds).toContain('audience_permission.create');
      expect(kinds.filter((kind) => kind.endsWith('.delete'))).toEqual(['campaign.delete', 'custom_audience.delete']);
    });

    it('tells of the features of an account, and by its id of its business', async () => {
      const own = await listening();
      const [{ body: begun }, business] = [await follow(own), await world().get(BusinessesService).create('Northwind')];
      const { account } = own.advertiser;
      await world().sql('UPDATE accounts SET "businessId" = $2 WHERE id = $1', account.id, business.id);
      const acting = (await world().get(AccountAccessService).find('production', account.id, account.userId))!;
      await world().get(FeaturesService).add(acting, ['AGE_TARGETING']);
      world().clock.advance(2_000);
      const { body } = await follow(own, { pagination_token: begun.meta.next_token as string, wait_seconds: '5' });
      const events = (body.data as { body: string }[]).map((each) => JSON.parse(each.body));
      const told = events.find(({ account_events }) => account_events?.[0].type === 'update')!;
      expect(told.account_events[0].data).toMatchObject({
        business_id: business.id,
        features: expect.arrayContaining(['AGE_TARGETING']),
      });
      expect(told.account_events[0]).not.toHaveProperty('data.business_name');
    });

    it.each([
      ['ANALYST', []],
      ['PARTNER_AUDIENCE_MANAGER', []],
      ['CAMPAIGN_ANALYST', ['campaign.create']],
      ['AD_MANAGER', ['campaign.create', 'tax_settings.create']],
    ] as const)('tells an application of an %s what this role may read', async (role, kinds) => {
      const { account } = await given.advertiser();
      const own = await listening();
      await world().get(MembershipsService).grant(account.id, own.advertiser.user.id, role);
      const { body: begun } = await follow(own);
      await given.campaign({ account });
      await given.taxSettings(account);
      // of another account, and later
      await given.campaign({ account: own.advertiser.account });
      const isMeant = (event: object) =>
        (event as Json).for_account_id === account.id && /^(campaign|tax_settings)\./.test(kindOfBody(event));
      const of = (events: { event: object }[]) =>
        events.flatMap(({ event }) => (isMeant(event) ? [kindOfBody(event)] : []));
      await own.receiver.until(1, ({ event }) => event.for_account_id === own.advertiser.account.id);
      await own.receiver.until(kinds.length, ({ event }) => isMeant(event));
      expect(of(own.receiver.received).sort()).toEqual(kinds);
      world().clock.advance(2_000);
      const { body } = await follow(own, { pagination_token: begun.meta.next_token as string, wait_seconds: '5' });
      const told = (body.data as { body: string }[]).map((each) => ({ event: JSON.parse(each.body) as object }));
      expect(of(told).sort()).toEqual(kinds);
    });

    it('tells nothing more of an account when the last token for it has ended', async () => {
      const own = await listening();
      const { body } = await follow(own);
      await given.campaign({ account: own.advertiser.account });
      await given.revokedToken(own.advertiser);
      // ids of a process only go up, however its clock was moved before
      world().clock.advance(10_000);
      const told = await follow(own, { pagination_token: body.meta.next_token as string });
      expect(told.body.data.map((each: { body: string }) => kindOfBody(JSON.parse(each.body) as object))).toEqual([
        'user_event.revoke',
      ]);
    });
  });
});
