import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { DirectoryImportService } from '../../../src/audiences/directory/directory-import.service.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { ConversionsService } from '../../../src/measurement/conversions/conversions.service.js';
import { ConversionsUpkeepJob } from '../../../src/measurement/conversions/conversions-upkeep.job.js';
import { EngagementsService } from '../../../src/measurement/engagements/engagements.service.js';
import { pixelIdOf } from '../../../src/measurement/entities/pixel-id.js';
import { PixelTokensService } from '../../../src/measurement/pixel-tokens/pixel-tokens.service.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { send, type Answer, type Json } from '../../support/http.js';

useApp({ RATE_LIMIT_CONVERSIONS: '600/900', RATE_LIMITS: 'faithful' });

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const MAIL = sha256('ann@example.com');

describe('conversions', () => {
  let advertiser: Advertiser;
  let pixel: string;
  let tag: string;
  let token: string;
  beforeEach(async () => {
    advertiser = await given.advertiser();
    pixel = pixelIdOf(advertiser.account.id);
    tag = (await given.webEventTag(advertiser)).id;
    ({ token } = await world().get(PixelTokensService).create(advertiser.account, 'Server'));
  });

  const path = (id = pixel) => `/12/measurement/conversions/${id}`;
  const minutesAgo = (minutes: number) => new Date(world().clock.now().getTime() - minutes * 60_000);
  const conversion = (more: object = {}): Json => ({
    conversion_time: minutesAgo(5).toISOString(),
    event_id: tag,
    identifiers: [{ hashed_email: MAIL }],
    ...more,
  });
  const signed = (...conversions: unknown[]) => advertiser.api.post(path(), { json: { conversions } });
  const withToken = (text: string, conversions: unknown[], id = pixel, headers: Record<string, string> = {}) =>
    send(world().url, path(id), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-pixel-token': text, ...headers },
      body: JSON.stringify({ conversions }),
    });
  const stored = () =>
    world().sql<Record<string, Json>>(
      `SELECT "tagId", "eventName", "convertedAt", "valueMicro"::text AS value, currency, "numberItems", "conversionId", details,
        array(SELECT encode(i, 'hex') FROM unnest(identifiers) i) AS identifiers
      FROM conversions WHERE "accountId" = $1 ORDER BY id`,
      advertiser.account.id,
    );
  const refusal = ({ status, body }: Answer) => ({
    status,
    errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
  });
  const ok = ({ status, body }: Answer) => {
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    return body;
  };

  it('are stored with all of their fields', async () => {
    const body = ok(
      await signed({
        conversion_time: '2026-01-01T08:00:00Z',
        ...conversion(),
        identifiers: [{ twclid: 'abc' }, { hashed_email: MAIL.toUpperCase(), hashed_phone_number: sha256('+4930123') }],
        value: '20.00',
        price_currency: 'eur',
        number_items: '2',
        conversion_id: 'order 1',
        description: 'beans',
        event_source_url: 'https://shop.example/thanks?mail=ann@example.com',
        contents: [{ content_id: 7, content_group_id: 'group 1', content_price: '10', num_items: 2, more: 1 }],
        unheard_of: 1,
      }),
    );
    expect(body).toEqual({
      request: { params: { account_id: advertiser.account.id } },
      data: { conversions_processed: 1, debug_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(await stored()).toEqual([
      {
        tagId: tag,
        eventName: null,
        convertedAt: expect.anything(),
        value: '20000000',
        currency: 'EUR',
        numberItems: 2,
        conversionId: 'order 1',
        details: {
          description: 'beans',
          event_source_url: 'https://shop.example/thanks',
          contents: [{ content_id: '7', content_group_id: 'group 1', content_price: 10, num_items: 2 }],
        },
        identifiers: [`02${sha256('abc')}`, `00${MAIL}`, `01${sha256('+4930123')}`],
      },
    ]);
    const { body: seen } = await advertiser.api.get(`/12/accounts/${advertiser.account.id}/web_event_tags/${tag}`);
    expect(seen.data).toMatchObject({ status: 'TRACKING', last_tracked_at: expect.stringMatching(/Z$/) });
  });

  it('are noted at their tag at once, also after a restore and after a test clock that was ahead', async () => {
    const shown = async () =>
      (await advertiser.api.get(`/12/accounts/${advertiser.account.id}/web_event_tags/${tag}`)).body.data;
    const times = () =>
      world().sql<Record<'first' | 'last', string>>(
        'SELECT "firstTrackedAt" AS first, "lastTrackedAt" AS last FROM web_event_tags WHERE "accountId" = $1 AND id = $2',
        advertiser.account.id,
        tag,
      );
    const set = (at: string | null) =>
      world().sql(
        'UPDATE web_event_tags SET "firstTrackedAt" = $3, "lastTrackedAt" = $3 WHERE "accountId" = $1 AND id = $2',
        advertiser.account.id,
        tag,
        at,
      );
    const now = world().clock.now().getTime();
    for (const before of [null, null, new Date(now + 365 * 86_400_000).toISOString()]) {
      await set(before);
      ok(await signed(conversion()));
      expect((await shown()).status).toBe('TRACKING');
      const [{ first, last }] = await times();
      for (const time of [first, last]) expect(Math.abs(Date.parse(time) - now)).toBeLessThan(60_000);
    }
  });

  it('have times and event ids in all forms that clients send', async () => {
    const at = Math.floor(minutesAgo(60).getTime() / 1000) * 1000;
    const iso = new Date(at).toISOString();
    const forms = [
      { conversion_time: iso },
      { conversion_time: iso.replace('.000', '') },
      { conversion_time: undefined, conversion_timestamp: at },
      { conversion_time: undefined, conversion_timestamp: String(at) },
      { conversion_time: String(at), event_id: `tw-${pixel}-${tag}` },
      { conversion_time: iso, event_id: tag.toUpperCase() },
      { conversion_time: iso, event_id: 'gtm_purchase', conversion_id: 'x' },
    ];
    const body = ok(await signed(...forms.map((form) => conversion(form))));
    expect(body.data.conversions_processed).toBe(forms.length);
    const rows = await stored();
    expect(new Set(rows.map(({ convertedAt }) => new Date(convertedAt as string).getTime()))).toEqual(new Set([at]));
    expect(rows.map(({ tagId }) => tagId)).toEqual([tag, tag, tag, tag, tag, tag, null]);
    expect(rows.at(-1)!.eventName).toBe('gtm_purchase');
    const swapped = await signed(conversion({ conversion_time: undefined, conversion_timestamp: iso }));
    expect(refusal(swapped)).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'conversion_time']] });
  });

  it('keep no address and no agent', async () => {
    ok(await signed(conversion({ identifiers: [{ ip_address: '192.0.2.1' }, { user_agent: 'Mozilla/5.0 (Ann)' }] })));
    ok(await signed(conversion({ identifiers: [{ twpid: 'cookie', user_agent: 'Mozilla/5.0 (Ann)' }] })));
    const [row] = await world().sql<{ text: string }>(
      `SELECT string_agg(c::text, ' ') AS text FROM conversions c WHERE "accountId" = $1`,
      advertiser.account.id,
    );
    expect(row.text).not.toMatch(/192\.0\.2|Mozilla|cookie/);
  });

  it.each([
    ['no event', { event_id: undefined }, ['MISSING_PARAMETER', 'event_id']],
    ['an unknown event', { event_id: 'zzz' }, ['INVALID_PARAMETER', 'event_id']],
    ['no time', { conversion_time: undefined }, ['MISSING_PARAMETER', 'conversion_time']],
    ['a bad time', { conversion_time: 'yesterday' }, ['INVALID_PARAMETER', 'conversion_time']],
    ['an old time', { conversion_time: '2020-01-01T00:00:00Z' }, ['INVALID_PARAMETER', 'conversion_time']],
    ['a future time', { conversion_time: '2090-01-01T00:00:00Z' }, ['INVALID_PARAMETER', 'conversion_time']],
    ['no identifiers', { identifiers: undefined }, ['INVALID_PARAMETER', 'identifiers']],
    ['empty identifiers', { identifiers: [{}] }, ['INVALID_PARAMETER', 'identifiers']],
    ['an address alone', { identifiers: [{ ip_address: '192.0.2.1' }] }, ['INVALID_PARAMETER', 'identifiers']],
    ['an agent alone', { identifiers: [{ user_agent: 'Mozilla' }] }, ['INVALID_PARAMETER', 'identifiers']],
    ['a plain address', { identifiers: [{ hashed_email: 'ann@x.y' }] }, ['INVALID_PARAMETER', 'hashed_email']],
    ['no IP address', { identifiers: [{ twclid: 'a', ip_address: '1.2' }] }, ['INVALID_PARAMETER', 'ip_address']],
    ['a strange value', { value: '20 EUR' }, ['INVALID_PARAMETER', 'value']],
    ['a negative value', { value: -1 }, ['INVALID_PARAMETER', 'value']],
    ['no currency', { price_currency: 'Euro' }, ['INVALID_PARAMETER', 'price_currency']],
    ['half an item', { number_items: 0.5 }, ['INVALID_PARAMETER', 'number_items']],
    ['more items than are stored', { number_items: 2 ** 31 }, ['INVALID_PARAMETER', 'number_items']],
    ['no contents', { contents: 'x' }, ['INVALID_PARAMETER', 'contents']],
    ['an id that JSON has rounded', { conversion_id: 2 ** 53 }, ['INVALID_PARAMETER', 'conversion_id']],
    ['a long id', { conversion_id: 'x'.repeat(256) }, ['INVALID_PARAMETER', 'conversion_id']],
  ] as [string, object, [string, string]][])('are refused with %s', async (_, more, error) => {
    expect(refusal(await signed(conversion(), conversion(more)))).toEqual({ status: 400, errors: [error] });
    expect(await stored()).toEqual([]);
  });

  it('have at most 100 contents and 100 identifiers', async () => {
    const contents = Array.from({ length: 100 }, (_, i) => ({ content_id: i }));
    const identifiers = Array.from({ length: 100 }, () => ({ hashed_email: MAIL }));
    ok(await signed(conversion({ contents, identifiers })));
    const more = { contents: [...contents, {}], identifiers: [...identifiers, { hashed_email: MAIL }] };
    expect(refusal(await signed(conversion(more))).errors.sort()).toEqual([
      ['INVALID_PARAMETER', 'contents'],
      ['INVALID_PARAMETER', 'identifiers'],
    ]);
  });

  it('have at most some twenty errors each in an answer, however much is wrong', async () => {
    const contents = Array.from({ length: 100 }, () => ({ content_price: 'much', num_items: 'many' }));
    const identifiers = Array.from({ length: 100 }, () => ({ hashed_email: 'no hash' }));
    const { status, errors } = refusal(await signed(conversion({ contents }), conversion({ contents, identifiers })));
    expect(status).toBe(400);
    expect(errors.length).toBeLessThan(50);
  });

  it('are all refused for one, and the answer names every error and nobody', async () => {
    const answer = await signed(
      conversion(),
      conversion({ event_id: 'zzz', conversion_time: 'x', identifiers: [{ hashed_email: 'ann@example.com' }] }),
      conversion({ event_id: `tw-other-${tag}` }),
      'x',
    );
    expect(refusal(answer).errors).toEqual([
      ['INVALID_PARAMETER', 'conversion_time'],
      ['INVALID_PARAMETER', 'hashed_email'],
      ['INVALID_PARAMETER', 'event_id'],
      ['NOT_FOUND', 'event_id'],
      ['INVALID_PARAMETER', 'conversions'],
    ]);
    expect(answer.body.errors[0].message).toContain('conversions[1].conversion_time');
    expect(answer.text).not.toContain('ann@example.com');
    expect(answer.text).not.toContain(MAIL);
    expect(await stored()).toEqual([]);
    expect(refusal(await signed())).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'conversions']] });
    const many = Array.from({ length: 501 }, () => conversion());
    expect(refusal(await signed(...many))).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'conversions']] });
    expect(refusal(await advertiser.api.post(path(), { json: {} }))).toEqual({
      status: 400,
      errors: [['MISSING_PARAMETER', 'conversions']],
    });
  });

  it('name members that cannot be converted to a text, as other wrong types', async () => {
    const odd = { toString: null };
    const more = { conversion_time: undefined, contents: [{ content_price: odd, num_items: odd }] };
    const answer = await signed(
      conversion({ value: odd, number_items: odd, conversion_time: odd }),
      conversion({ ...more, conversion_timestamp: odd }),
    );
    expect(refusal(answer)).toEqual({
      status: 400,
      errors: ['conversion_time', 'value', 'number_items', 'conversion_time', 'content_price', 'num_items'].map(
        (name) => ['INVALID_PARAMETER', name],
      ),
    });
    expect(answer.body.errors[1].message).toContain('got {"toString":null} for conversions[0].value');
    const atX = await advertiser.api.post(path(), {
      json: { conversions: [conversion({ value: odd })] },
      headers: { 'x-marquee-names': 'x' },
    });
    expect(refusal(atX)).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'value']] });
  });

  it('of one id are stored once within 48 hours, also by requests at the same time', async () => {
    const order = conversion({ conversion_id: 'order' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => signed(order, { ...order, value: 2 }, conversion({ conversion_id: 'other' }))),
    );
    expect(answers.map((answer) => ok(answer).data.conversions_processed)).toEqual(Array(8).fill(3));
    expect((await stored()).map(({ conversionId }) => conversionId).sort()).toEqual(['order', 'other']);
    // another tag, and conversions without an id
    const { id: another } = await given.webEventTag(advertiser);
    ok(await signed({ ...order, event_id: another }, conversion(), conversion()));
    expect(await stored()).toHaveLength(5);

    const { clock } = world();
    const now = clock.now();
    clock.set(new Date(now.getTime() + 47 * 3_600_000));
    ok(await signed({ ...order }));
    expect(await stored()).toHaveLength(5);
    clock.set(new Date(now.getTime() + 49 * 3_600_000));
    ok(await signed({ ...order }));
    expect(await stored()).toHaveLength(6);
    await world().get(ConversionsUpkeepJob).clearKeys();
    const keys = await world().sql(`SELECT FROM conversion_keys WHERE "accountId" = $1`, advertiser.account.id);
    expect(keys).toHaveLength(1);
    clock.set(now);
  });

  it('take the token of the pixel alone, and several at a time', async () => {
    const body = ok(await withToken(token, [conversion()]));
    expect(body.request).toEqual({ params: { account_id: advertiser.account.id } });
    const { token: second, stored: row } = await world().get(PixelTokensService).create(advertiser.account, 'Second');
    ok(await withToken(second, [conversion()]));
    await world().get(PixelTokensService).revoke(advertiser.account, row.id);
    expect((await withToken(second, [conversion()])).status).toBe(401);
    ok(await withToken(token, [conversion()]));
    expect(await stored()).toHaveLength(3);
    const wrong = { status: 401, errors: [['UNAUTHORIZED_ACCESS', undefined]] };
    expect(refusal(await withToken('x', [conversion()]))).toEqual(wrong);
    expect(refusal(await withToken(token, [conversion()], 'unheardof'))).toEqual(wrong);
    const other = await given.advertiser();
    expect(refusal(await withToken(token, [conversion()], pixelIdOf(other.account.id)))).toEqual(wrong);
    const tables = await world().sql<{ text: string }>('SELECT t::text AS text FROM pixel_tokens t');
    expect(tables.map(({ text }) => text).join()).not.toContain(token);
  });

  it('act once for an Idempotency-Key of a pixel, whichever of its tokens comes with it', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const { token: second } = await world().get(PixelTokensService).create(advertiser.account, 'Second');
    const sent = [conversion()];
    const first = ok(await withToken(token, sent, pixel, key));
    const again = await withToken(second, sent, pixel, key);
    expect(ok(again)).toEqual(first);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await stored()).toHaveLength(1);
    expect((await withToken(token, [conversion({ value: 1 })], pixel, key)).status).toBe(422);
    // the same key of another pixel, and of a user, is another one
    const other = await given.advertiser();
    const { token: foreign } = await world().get(PixelTokensService).create(other.account, 'Other');
    const { id: event_id } = await given.webEventTag(other);
    ok(await withToken(foreign, [conversion({ event_id })], pixelIdOf(other.account.id), key));
    ok(await advertiser.api.post(path(), { json: { conversions: sent }, headers: key }));
    expect(await stored()).toHaveLength(2);
  });

  it('need a user who manages the account', async () => {
    const analyst = await given.advertiser({ role: 'CAMPAIGN_ANALYST' });
    const { id } = await given.webEventTag(analyst);
    const mine = { conversions: [conversion({ event_id: id })] };
    const own = await analyst.api.post(path(pixelIdOf(analyst.account.id)), { json: mine });
    expect(refusal(own)).toEqual({ status: 403, errors: [['ACTION_NOT_ALLOWED', undefined]] });
    const stranger = await analyst.api.post(path(), { json: { conversions: [conversion()] } });
    expect(refusal(stranger)).toEqual({ status: 404, errors: [['ROUTE_NOT_FOUND', undefined]] });
    const unsigned = await send(world().url, path(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(mine),
    });
    expect(unsigned.status).toBe(401);
  });

  it('count one by one in the rate limit of the account', async () => {
    const many = Array.from({ length: 400 }, () => conversion());
    const first = await withToken(token, many);
    expect([first.status, first.headers['x-rate-limit-remaining']]).toEqual([200, '200']);
    const second = await signed(...many);
    expect(refusal(second)).toMatchObject({ status: 429, errors: [['TOO_MANY_REQUESTS', undefined]] });
    expect(second.headers['x-account-rate-limit-limit']).toBe('600');
    expect(second.text).not.toContain(MAIL);
    expect(await stored()).toHaveLength(400);
  });

  it('are at most as many as the account may store, also of requests at the same time', async () => {
    const counts = () =>
      world().sql<{ stored: number }>(
        `SELECT stored FROM conversion_days WHERE "accountId" = $1`,
        advertiser.account.id,
      );
    ok(await signed(conversion({ conversion_id: 'a' }), conversion({ conversion_id: 'a' }), conversion()));
    expect(await counts()).toEqual([{ stored: 2 }]);
    // an earlier day counts, one that is not kept does not
    const before = `INSERT INTO conversion_days SELECT "accountId", day - $2::int, $3 FROM conversion_days WHERE "accountId" = $1 LIMIT 1`;
    await world().sql(before, advertiser.account.id, 1, 99_999_994);
    await world().sql(before, advertiser.account.id, 120, 1_000);
    const answers = await Promise.all(Array.from({ length: 6 }, () => signed(conversion(), conversion())));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 403, 403, 403, 403]);
    const refused = answers.find(({ status }) => status === 403)!;
    expect(refused.body.errors).toEqual([
      expect.objectContaining({
        code: 'STORAGE_QUOTA_EXCEEDED',
        message: expect.stringContaining('stores 100000000 of at most 100000000 conversions'),
      }),
    ]);
    expect(await stored()).toHaveLength(6);
    await world().get(ConversionsUpkeepJob).clearKeys();
    expect(await counts()).toHaveLength(2);
    // a duplicate is not stored
    ok(await signed(conversion({ conversion_id: 'a' })));
  });

  it('beyond the quota are refused, and a repetition of the Idempotency-Key is', async () => {
    await world().sql(
      `INSERT INTO conversion_days ("accountId", day, stored) VALUES ($1, $2, 99999995)`,
      advertiser.account.id,
      Math.floor(world().clock.now().getTime() / 86_400_000) - 1,
    );
    const keyed = () => ({ 'idempotency-key': randomUUID() });
    const post = (conversions: Json[], headers: Record<string, string>) =>
      advertiser.api.post(path(), { json: { conversions }, headers });
    ok(
      await post(
        Array.from({ length: 5 }, () => conversion()),
        keyed(),
      ),
    );
    const key = keyed();
    const sixth = [conversion()];
    const refused = await post(sixth, key);
    expect(refusal(refused)).toEqual({ status: 403, errors: [['STORAGE_QUOTA_EXCEEDED', undefined]] });
    expect(refused.body.errors[0].message).toContain('stores 100000000 of at most 100000000 conversions');
    const again = await post(sixth, key);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([403, 'true']);
    expect(again.text).toBe(refused.text);
    expect(await stored()).toHaveLength(5);
  });

  it('forget a deleted user, and all that a deleted account received', async () => {
    const { user: person } = await given.client();
    const email = `${person.username.toLowerCase()}@example.com`;
    const directory = world().get(DirectoryImportService);
    await directory.store([directory.read({ username: person.username, email })]);
    const [{ twclid }] = await world()
      .get(EngagementsService)
      .store(advertiser.account.db, advertiser.account, [
        {
          ...{ userId: person.id, at: minutesAgo(9).toISOString(), isClick: true, lineItemId: 'x', currency: 'USD' },
          ...{ placement: 'ALL_ON_PLATFORM', promotedId: 'x', promotedKind: 'PROMOTED_POST', audienceId: '' },
          ...{ isForWebsite: true, tagId: null },
        },
      ]);
    ok(
      await signed(
        conversion({ identifiers: [{ hashed_email: sha256(email) }], conversion_id: 'hers', value: 5 }),
        conversion({ conversion_id: 'of another' }),
        conversion({ identifiers: [{ twclid }], conversion_id: 'by her click' }),
      ),
    );
    await world().get(UserRemoval).delete(person.id);
    await world().get(UserRemoval).finish(person.id);
    expect(await stored()).toMatchObject([
      { identifiers: [], conversionId: null, details: null, value: '5000000' },
      { identifiers: [`00${MAIL}`], conversionId: 'of another' },
      { identifiers: [], conversionId: null },
    ]);

    const { account } = advertiser;
    await world().get(AccountsService).delete(account);
    expect((await withToken(token, [conversion()])).status).toBe(401);
    await world().get(ConversionsUpkeepJob).removeOf(account.id);
    expect(await stored()).toEqual([]);
    for (const table of ['conversion_keys', 'conversion_days'])
      expect(await world().sql(`SELECT FROM ${table} WHERE "accountId" = $1`, account.id)).toEqual([]);
  });

  it('are removed also where they arrive after those of their deleted account', async () => {
    const { account } = advertiser;
    await world().get(AccountsService).delete(account);
    const due = () =>
      world().sql(
        `SELECT FROM pgboss.job WHERE data->>'accountId' = $1 AND start_after <= now() AND state <> 'completed'`,
        account.id,
      );
    while ((await due()).length > 0) await pause(50);
    // a request that was admitted before the deletion
    await world().get(ConversionsService).receiveOne(account, conversion());
    expect(await stored()).toHaveLength(1);
    const later = await world().sql<{ name: string }>(
      `UPDATE pgboss.job SET start_after = now() WHERE data->>'accountId' = $1 AND start_after > now() RETURNING name`,
      account.id,
    );
    expect(later.map(({ name }) => name).sort()).toEqual([
      'remove-conversions',
      'remove-engagements',
      'remove-lead-exports',
      'remove-leads',
    ]);
    while ((await stored()).length > 0) await pause(50);
  });
});
