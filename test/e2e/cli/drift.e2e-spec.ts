import { writeFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import type { Difference } from '../../../src/cli/drift/differences.js';
import { useSharedApp, world } from '../../support/app.js';
import { Api, type Json } from '../../support/api.js';
import { given } from '../../support/given.js';
import { Place } from './marquee.js';

jest.setTimeout(180_000);

interface Entry {
  startedDateTime: string;
  request: { method: string; url: string; headers: Json[]; postData?: Json };
  response: { status: number; content: { text: string } };
}

describe('marquee drift', () => {
  useSharedApp();
  let place: Place;
  beforeAll(async () => void (place = await Place.make({ LOG_LEVEL: 'warn' })));
  afterAll(() => place.leave());

  /** An account with a funding instrument, a client of it, and the file of its credentials. */
  async function advertiser(
    name: string,
  ): Promise<{ account: ActingAccount; api: Api; file: string; funding: string }> {
    const application = await given.application();
    const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
    const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
    const account = await given.account({ userId: ownerId });
    const funding = await given.fundingInstrument({ account });
    const file = place.path(`${name}.json`);
    const { key: consumer_key, secret: consumer_secret } = application.consumer;
    const keys = { consumer_key, consumer_secret, access_token: token.key, access_token_secret: token.secret };
    const { url: base_url } = world();
    const urls = { base_url, ads_base_url: base_url, ads_sandbox_base_url: `${base_url}/sandbox` };
    writeFileSync(file, JSON.stringify({ ...urls, ...keys, account_id: account.id }));
    return { account, file, funding: funding.id, api: new Api({ consumer: application.consumer, token }) };
  }

  /** Sends requests with X's names, and returns what a browser would have recorded of them. */
  async function recorded({ api, account, funding }: Awaited<ReturnType<typeof advertiser>>): Promise<Entry[]> {
    const entries: Entry[] = [];
    const send = async (method: 'GET' | 'POST' | 'PUT', path: string, form?: Record<string, string>) => {
      const headers = { 'x-marquee-names': 'x' };
      const answer = await api.call(method, `/12/accounts/${account.id}/${path}`, { form, headers });
      entries.push({
        startedDateTime: world().clock.now().toISOString(),
        request: {
          method,
          url: `https://ads-api.example/11/accounts/${account.id}/${path}`,
          headers: [
            { name: 'Authorization', value: 'OAuth oauth_token="their-token", oauth_signature="secret-signature"' },
          ],
          ...(form && {
            postData: {
              mimeType: 'application/x-www-form-urlencoded',
              text: new URLSearchParams(form).toString(),
            },
          }),
        },
        response: { status: answer.status, content: { text: answer.text } },
      });
      return (answer.body.data as { id: string } | undefined)?.id;
    };
    const campaign = await send('POST', 'campaigns', {
      name: 'Autumn',
      funding_instrument_id: funding,
      daily_budget_amount_local_micro: '5500000',
    });
    await send('POST', 'line_items', {
      campaign_id: campaign!,
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_TWEETS',
      placements: 'ALL_ON_TWITTER',
      bid_amount_local_micro: '1500000',
      start_time: new Date(world().clock.now().getTime() + 86_400_000).toISOString(),
      end_time: new Date(world().clock.now().getTime() + 3 * 86_400_000).toISOString(),
    });
    const daily = { daily_budget_amount_local_micro: '5500000' };
    await send('POST', 'campaigns', { name: 'Winter', funding_instrument_id: funding, ...daily });
    await send('GET', 'campaigns?sort_by=created_at-asc');
    await send('PUT', `campaigns/${campaign}`, { name: 'Spring' });
    return entries;
  }

  const written = (name: string, entries: readonly unknown[]): string => {
    const path = place.path(name);
    writeFileSync(path, JSON.stringify({ log: { version: '1.2', entries } }));
    return path;
  };

  it('finds nothing where the same requests get the same answers, with ids and times of their own', async () => {
    const theirs = await advertiser('theirs');
    const entries = await recorded(theirs);
    const ours = await advertiser('ours');
    // recorded a while ago: every time of the requests is over
    const old = JSON.parse(JSON.stringify(entries), (_, value: unknown) =>
      typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
        ? new Date(Date.parse(value) - 400 * 86_400_000).toISOString()
        : value,
    ) as Entry[];
    const form = old[1].request.postData!;
    form.text = String(form.text).replace(/\d{4}-\d\d-\d\dT[\dA-F%.]+Z/g, (time) =>
      encodeURIComponent(new Date(Date.parse(decodeURIComponent(time)) - 400 * 86_400_000).toISOString()),
    );
    const run = await place.marquee([
      ...['drift', written('same.har', old), '--credentials', ours.file],
      ...['--map', `${theirs.funding}=${ours.funding}`],
    ]);
    expect([run.stderr, run.exitCode]).toEqual(['', 0]);
    expect(run.stdout).toMatch(/^No answer differs\.\n/);
    expect(run.stdout).toMatch(/createCampaign +2 +0 +0 +0/);
    const { body } = await ours.api.get(`/12/accounts/${ours.account.id}/campaigns`);
    expect((body.data as Json[]).map(({ name }) => name).sort()).toEqual(['Spring', 'Winter']);
  });

  it('lists each kind of difference, by operation, without values and secrets', async () => {
    const theirs = await advertiser('others');
    const entries = await recorded(theirs);
    const change = (i: number, by: (body: Json) => void) => {
      const body = JSON.parse(entries[i].response.content.text);
      by(body);
      entries[i].response.content.text = JSON.stringify(body);
    };
    change(0, ({ data }) =>
      Object.assign(data, { invoice_label: 'private text', currency: undefined, servable: 'no' }),
    );
    change(1, ({ data }) => Object.assign(data, { objective: 'WORLD_PEACE', created_at: '2026-01-01T00:00:00.000Z' }));
    entries[4].response = {
      status: 400,
      content: { text: '{"errors":[{"code":"NO_SUCH_THING","message":"private text"}]}' },
    };
    change(3, ({ data }) => void (data as Json[]).reverse());
    const ours = await advertiser('own');
    const run = await place.marquee([
      ...['drift', written('other.har', entries), '--credentials', ours.file, '--json'],
      ...['--map', `${theirs.funding}=${ours.funding}`, '--caller', `their-token=${ours.file}`],
    ]);
    expect(run.exitCode).toBe(1);
    const { differences, summary } = JSON.parse(run.stdout) as { differences: Difference[]; summary: Json[] };
    expect(differences).toEqual([
      expect.objectContaining({ operation: 'createCampaign', kind: 'type', where: 'data.servable' }),
      expect.objectContaining({ kind: 'missing', where: 'data.invoice_label', recorded: 'text' }),
      expect.objectContaining({ kind: 'extra', where: 'data.currency' }),
      expect.objectContaining({ operation: 'createLineItem', kind: 'type', recorded: 'time with milliseconds' }),
      expect.objectContaining({ kind: 'enumeration', recorded: 'WORLD_PEACE', here: 'ENGAGEMENTS' }),
      expect.objectContaining({ operation: 'listCampaigns', kind: 'order', where: 'data[]' }),
      expect.objectContaining({ operation: 'updateCampaign', kind: 'status', recorded: '400', here: '200' }),
      expect.objectContaining({ kind: 'code', recorded: 'NO_SUCH_THING', here: '' }),
    ]);
    expect(summary).toContainEqual(
      expect.objectContaining({ operation: 'createCampaign', requests: 2, type: 1, missing: 1 }),
    );
    for (const secret of ['private text', 'secret-signature', 'their-token', theirs.account.id])
      expect(run.stdout + run.stderr).not.toContain(secret);
  });

  it('skips other hosts and what was not answered, and shows no character that acts on a terminal', async () => {
    const theirs = await advertiser('hostile');
    const [created] = await recorded(theirs);
    const body = JSON.parse(created.response.content.text);
    body.data['\u001b[31mred\u202e'] = 1;
    created.response.content.text = JSON.stringify(body);
    const to = (url: string, status = 200) => ({
      ...created,
      request: { method: 'GET', url, headers: [] },
      response: { status, content: { text: '{}' } },
    });
    const other = { url: 'https://files.example/', headers: 'none' };
    const entries = [
      created,
      ...[to('https://cdn.example/script.js'), to('https://ads-api.example/12/accounts', 0)],
      ...[to('wss://live.example/12/', 101), to('data:http://ads-api.example/12/accounts'), to('chrome://newtab')],
      ...[
        { request: { method: 'PROPFIND', ...other } },
        { request: { ...other, postData: { mimeType: 'multipart/x' } } },
      ],
    ];
    const ours = await advertiser('hosts');
    const run = await place.marquee([
      ...['drift', written('hosts.har', entries), '--credentials', ours.file],
      ...['--map', `${theirs.funding}=${ours.funding}`],
    ]);
    expect(run.stdout).toContain('data.\\u001b[31mred\\u202e');
    for (const acting of ['\u001b[31m', '\u202e']) expect(run.stdout).not.toContain(acting);
    expect(run.stdout).toContain('\n7 requests were skipped: ');
    expect(run.stdout).not.toMatch(/script|listAccounts/);
  });

  it('takes whatever a record has in its requests and answers', async () => {
    const ours = await advertiser('strange');
    const to = (path: string, answer: unknown = {}, status = 200) => ({
      startedDateTime: '2020-01-01T00:00:00Z',
      request: { method: 'GET', url: `https://ads-api.example/12/accounts/${path}`, headers: [] },
      response: { status, content: { text: JSON.stringify(answer) } },
    });
    const entries = [
      to('%zz/campaigns'),
      to('theirs/campaigns?name=2026-99-99T99:99Z'),
      to('theirs/campaigns', { constructor: 1, toString: { private: 1 } }),
      to('theirs/campaigns', { errors: [{ code: { toString: 1, valueOf: 1 } }, { code: 'private text' }] }, 400),
      to('theirs/private%2Dthings/4711'),
    ];
    const run = await place.marquee([
      ...['drift', written('strange.har', entries), '--credentials', ours.file, '--json'],
      ...['--map', `theirs=${ours.account.id}`],
    ]);
    expect([run.stderr, run.exitCode]).toEqual([expect.stringContaining(' differences in 2 operations'), 1]);
    const { differences } = JSON.parse(run.stdout) as { differences: Difference[] };
    expect(differences).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'missing', where: 'constructor', recorded: 'number' }),
        expect.objectContaining({ kind: 'missing', where: 'toString', recorded: 'object' }),
        expect.objectContaining({ kind: 'code', recorded: 'object,text' }),
        expect.objectContaining({ kind: 'status', operation: 'GET /12/accounts/theirs/{}/{}' }),
      ]),
    );
    for (const value of ['private text', 'private%2Dthings', '4711']) expect(run.stdout).not.toContain(value);
  });

  it('sends a DELETE with a JSON body, and names a request that cannot have one before it sends any', async () => {
    const ours = await advertiser('deletes');
    const entry = (method: string, path: string) => ({
      startedDateTime: world().clock.now().toISOString(),
      request: {
        ...{ method, url: `https://ads-api.example${path}?user_id=1`, headers: [] },
        postData: { mimeType: 'application/json', text: '{"product_keys":["1"]}' },
      },
      response: { status: 200, content: { text: '{"data":[]}' } },
    });
    const deletion = entry('DELETE', '/12/product_catalogs/1/products');
    const argv = (name: string, entries: readonly unknown[]) => [
      ...['drift', written(name, entries), '--credentials', ours.file, '--json'],
    ];
    const run = await place.marquee(argv('delete.har', [deletion]));
    expect(run).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: \d+ differences in 1 operations/),
    });
    expect(JSON.parse(run.stdout)).toMatchObject({
      differences: expect.arrayContaining([
        expect.objectContaining({ operation: 'deleteProduct', kind: 'status', recorded: '200', here: '404' }),
      ]),
      summary: [{ operation: 'deleteProduct', requests: 1 }],
    });
    const read = await place.marquee(argv('read.har', [deletion, entry('GET', '/12/accounts')]));
    expect(read).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('read.har[1]: a GET request cannot have a JSON body; remove it'),
    });
  });

  it('prints as many differences as there are', async () => {
    const ours = await advertiser('wide');
    const answer = Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`field_${i}`, 1]));
    const request = { method: 'GET', url: 'https://ads-api.example/12/accounts', headers: [] };
    const path = written('wide.har', [{ request, response: { status: 200, body: answer } }]);
    const run = await place.marquee(['drift', path, '--credentials', ours.file]);
    expect(run.stderr).toMatch(/^error: 15\d{4} differences in 1 operations\n$/);
    expect(run.stdout).toContain('field_149999');
  });

  it('reads JSON only, and quotes nothing of a file that is none', async () => {
    const path = place.path('private.har');
    for (const text of ['log: &log\n  entries: [*log]', '{"log": private text', '\u001b[31mprivate text']) {
      writeFileSync(path, text);
      const run = await place.marquee(['drift', path]);
      expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('private.har is not JSON')]);
      for (const quoted of ['private text', '\u001b']) expect(run.stderr).not.toContain(quoted);
    }
    writeFileSync(path, '\ufeff{"log": {"entries": []}}');
    expect((await place.marquee(['drift', path])).stderr).toContain('has no recorded request');
  });

  const posted = (postData: Json) => [
    { request: { method: 'POST', url: 'https://x.example/12/', headers: [], postData }, response: { status: 200 } },
  ];

  it.each([
    [
      'deep.json',
      posted({ mimeType: 'application/json', text: '['.repeat(50_000) + ']'.repeat(50_000) }),
      'deep.json[0]: the body of the request nests more than 100 objects and lists',
    ],
    [
      'params.json',
      posted({ params: [{ name: 'count', value: 5 }] }),
      'params.json[0]: each of postData.params must have a name and a value that are texts',
    ],
    ['nothing.har', undefined, 'does not exist'],
    ['empty.har', { log: { entries: [] } }, 'has no recorded request'],
    ['list.json', { log: {} }, 'must be a HAR file'],
    ['method.json', [{ request: { method: 'SEND', url: 'https://x.example/12/' } }], 'request.method must be one of'],
    ['url.json', [{ request: { method: 'GET', url: 'campaigns' } }], 'request.url must be a URL'],
    [
      'scheme.json',
      ['https', 'wss'].map((scheme) => ({
        ...{ request: { method: 'GET', url: `${scheme}://x.example/12/` }, response: { status: 200 } },
      })),
      'request.url must be a URL of http or https',
    ],
    [
      'headers.json',
      [{ request: { method: 'GET', url: 'https://x.example/12/', headers: 'none' }, response: { status: 200 } }],
      'headers.json[0] is no recorded request',
    ],
    ['status.json', [{ request: { method: 'GET', url: 'https://x.example/12/' } }], 'response.status must be a number'],
  ])('says what is wrong with a record: %s', async (name, content, message) => {
    const path = place.path(name);
    if (content) writeFileSync(path, JSON.stringify(content));
    const run = await place.marquee(['drift', path]);
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
