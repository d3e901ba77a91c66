import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { pixelIdOf } from '../../../src/measurement/entities/pixel-id.js';
import { PixelTokensService } from '../../../src/measurement/pixel-tokens/pixel-tokens.service.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { send, type Json } from '../../support/http.js';

useSharedApp();

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const MAIL = sha256('ann@example.com');
const PHONE = sha256('+4930123');

/** Requests as known clients write them: the fields, their forms and the way to authenticate are theirs. */
describe('conversions of', () => {
  let advertiser: Advertiser;
  let pixel: string;
  let tag: string;
  let token: string;
  let at: number;
  beforeEach(async () => {
    advertiser = await given.advertiser();
    pixel = pixelIdOf(advertiser.account.id);
    tag = (await given.webEventTag(advertiser)).id;
    ({ token } = await world().get(PixelTokensService).create(advertiser.account, 'Client'));
    at = world().clock.now().getTime() - 60_000;
  });

  const path = () => `/12/measurement/conversions/${pixel}`;
  const withToken = (conversions: Json[], headers: Record<string, string> = {}) =>
    send(world().url, path(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-pixel-token': token, ...headers },
      body: JSON.stringify({ conversions }),
    });
  const stored = () =>
    world().sql<Record<string, Json>>(
      `SELECT "tagId", "eventName", "convertedAt", "valueMicro"::text AS value, currency, "numberItems", "conversionId", details,
        array(SELECT encode(i, 'hex') FROM unnest(identifiers) i) AS identifiers
      FROM conversions WHERE "accountId" = $1 ORDER BY id`,
      advertiser.account.id,
    );
  const times = (rows: Record<string, Json>[]) =>
    rows.map(({ convertedAt }) => new Date(convertedAt as string).getTime());

  it('the template of the server-side tag manager: a token, milliseconds, hashes in capitals, and events of its own', async () => {
    const sent = {
      event_id: `tw-${pixel}-${tag}`,
      conversion_timestamp: at,
      conversion_id: 'T_12345',
      identifiers: [
        { twclid: '26l6412g5p4iyj65a2oic2ayg2' },
        { hashed_email: MAIL.toUpperCase() },
        { hashed_phone_number: PHONE.toUpperCase() },
        { ip_address: '192.0.2.1' },
        { user_agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)' },
        { twpid: 'tw.1700000000000.123' },
      ],
      value: 30.03,
      price_currency: 'USD',
      number_items: 4,
      description: 'purchase',
      event_source_url: 'https://shop.example/checkout?step=3',
      contents: [
        { content_id: 'SKU_12345', content_name: 'Beans', content_price: 10.01, content_type: 'Coffee', num_items: 3 },
        { content_id: 'SKU_12346', content_name: 'Cup', num_items: 1 },
      ],
    };
    const { status, body } = await withToken([sent], { accept: '*/*', 'user-agent': 'Google-Tag-Manager' });
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: { conversions_processed: 1, debug_id: expect.any(String) },
    });
    const custom = { ...sent, event_id: 'gtm_generate_lead', conversion_id: 'T_12346', contents: [] };
    expect((await withToken([custom])).status).toBe(200);
    const rows = await stored();
    expect(rows).toMatchObject([
      {
        tagId: tag,
        value: '30030000',
        currency: 'USD',
        numberItems: 4,
        conversionId: 'T_12345',
        details: { event_source_url: 'https://shop.example/checkout', contents: sent.contents },
      },
      { tagId: null, eventName: 'gtm_generate_lead' },
    ]);
    expect(times(rows)).toEqual([at, at]);
    expect(rows[0].identifiers).toEqual(expect.arrayContaining([`00${MAIL}`, `01${PHONE}`]));
  });

  it('a connector of a customer data platform: one object of identifiers, texts for numbers and empty texts for what is missing', async () => {
    const sent = {
      conversion_time: new Date(at).toISOString(),
      event_id: `tw-${pixel}-${tag}`,
      identifiers: [
        { twclid: '', hashed_email: MAIL, hashed_phone_number: '', ip_address: '2001:db8::1', user_agent: 'curl/8' },
      ],
      number_items: '2',
      price_currency: 'eur',
      value: '100.00',
      conversion_id: 'order-4711',
      description: '',
      contents: [{ content_id: '7', content_group_id: 123, content_price: '50.00', num_items: '2', content_type: '' }],
    };
    const { status } = await advertiser.api.post(path().replace('/12/', '/11/'), { json: { conversions: [sent] } });
    expect(status).toBe(200);
    expect(await stored()).toMatchObject([
      {
        value: '100000000',
        currency: 'EUR',
        numberItems: 2,
        conversionId: 'order-4711',
        identifiers: [`00${MAIL}`],
        details: { contents: [{ content_id: '7', content_group_id: '123', content_price: 50, num_items: 2 }] },
      },
    ]);
  });

  it("RudderStack's destination: signed, address and agent beside the identifiers, one event in a request", async () => {
    const sent = {
      event_id: tag,
      conversion_time: new Date(at).toISOString(),
      number_items: 10,
      price_currency: 'EUR',
      value: '123.3345',
      conversion_id: '213123',
      description: 'Purchase of beans',
      contents: [
        { content_id: '12', content_group_id: 'group 1', content_name: 'Beans', content_price: 123.3345, num_items: 1 },
      ],
      ip_address: '192.0.2.1',
      user_agent: 'Mozilla/5.0',
      identifiers: [{ hashed_email: MAIL }, { hashed_phone_number: PHONE }, { twclid: '18294719ba' }],
    };
    const { status } = await advertiser.api.post(path(), { json: { conversions: [sent] } });
    expect(status).toBe(200);
    const [row] = await stored();
    expect(row).toMatchObject({
      tagId: tag,
      value: '123334500',
      currency: 'EUR',
      numberItems: 10,
      conversionId: '213123',
    });
    expect(row.identifiers).toHaveLength(3);
    expect(JSON.stringify(row)).not.toMatch(/192\.0\.2|Mozilla/);
  });

  it('curl with X-Pixel-Token', async () => {
    const sent = { conversion_timestamp: String(at), event_id: tag, identifiers: [{ twclid: 'abc' }], value: 12 };
    const curl = (...options: string[]) =>
      promisify(execFile)('curl', ['-sS', `${world().url}${path()}`, '-H', `X-Pixel-Token: ${token}`, ...options]);
    const json = JSON.stringify({ conversions: [sent] });
    const { stdout } = await curl('-H', 'Content-Type: application/json', '-d', json);
    expect(JSON.parse(stdout)).toMatchObject({ data: { conversions_processed: 1 } });
    expect(await stored()).toMatchObject([{ tagId: tag, value: '12000000' }]);
    // without the header, curl says that it sends a form
    const form = await curl('-w', '%{http_code}', '-d', json);
    expect(form.stdout).toMatch(/application\/json[^]*4\d\d$/);
  });
});
