import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Place } from './marquee.js';
import { closeReceivers, receiver } from '../../support/receiver.js';
import { signed } from '../../support/signed.js';

jest.setTimeout(180_000);

describe('commands', () => {
  /** Every command is a process of its own, some of which open a store. */

  let place: Place;
  let account: Record<string, string>;
  let credentials: string[];
  let keys: Record<string, string>;
  let alice: Record<string, string>;

  function keep(name: string, value: unknown): string[] {
    writeFileSync(place.path(name), JSON.stringify(value));
    return ['--credentials', place.path(name)];
  }

  /** What is made before the service starts is made on a store that nobody holds. */
  beforeAll(async () => {
    place = await Place.make({ DEMO: 'false', LOG_LEVEL: 'warn' });
    alice = await place.json(['user', 'create', 'alice', '--name', 'Alice A', '--password-stdin'], {
      input: 'pa ss\n',
    });
    expect(alice).toEqual({ user_id: expect.stringMatching(/^\d+$/), username: 'alice', name: 'Alice A' });
    const app = await place.json(['app', 'create', '--name', 'Tool', '--owner', 'alice', '--sign-in']);
    expect(app).toMatchObject({ name: 'Tool', owner: 'alice', access_level: 'write', sign_in: true, desktop: false });
    account = await place.json(['account', 'create', '--owner', 'alice', '--name', 'Acme', '--business', 'Acme Inc']);
    await place.serve();
    const { account_id } = account;
    await place.json(['user', 'create', 'bob', '--no-password']);
    await place.json(['account', 'grant', account_id, 'bob', 'ANALYST', '--no-post-composer']);
    await place.json(['account', 'limit', account_id, '300']);
    await place.json(['account', 'feature', account_id, '--add', 'DR_TAP', '--remove', 'EVENT_TARGETING']);
    await place.json(['account', 'promotable-user', account_id, 'bob', '--type', 'RETWEETS_ONLY']);
    const token = await place.json(['token', 'issue', '--user', 'alice', '--app', 'Tool']);
    keys = { ...app, ...token };
    credentials = [...keep('app.json', app), ...keep('token.json', token), ...keep('account.json', account)];
  });
  afterAll(() => place?.leave());

  /** Signs a request and sends it from here, where only its answer matters: a process of `marquee request` takes longer. */
  async function sendAs(by: Record<string, string>, method: string, path: string) {
    const url = place.url + path;
    const consumer = { key: by.consumer_key, secret: by.consumer_secret };
    const token = { key: by.access_token, secret: by.access_token_secret };
    const authorization = signed({ method, url, form: {} }, consumer, token);
    const answer = await fetch(url, { method, headers: { authorization } });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  }

  /** What alice reads with a GET. */
  async function read<T = object[]>(path: string): Promise<T> {
    const { status, body } = await sendAs(keys, 'GET', path);
    expect(status).toBe(200);
    return body.data;
  }

  describe('requests', () => {
    async function get<T = object[]>(path: string, ...more: string[]): Promise<{ data: T; total_count?: number }> {
      const { exitCode, stdout, stderr } = await place.marquee(['request', 'GET', path, ...credentials, ...more]);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 0,
        stderr: expect.stringMatching(/^200 OK {2}GET http:\/\/localhost:\d+\/12\/\S+\n(x-[a-z-]+: \d+\n)+$/),
      });
      return JSON.parse(stdout);
    }

    it('see what commands made on the closed store, and inside the service', async () => {
      const accounts = await get('/12/accounts', 'with_total_count=true');
      expect(accounts.data).toMatchObject([{ id: account.account_id, name: 'Acme', business_name: 'Acme Inc' }]);
      expect(accounts.total_count).toBe(1);
      const { data: features } = await get('/12/accounts/:account_id/features');
      expect(features).toContain('DR_TAP');
      expect(features).not.toContain('EVENT_TARGETING');
      const { data: users } = await get<{ promotable_user_type: string }[]>(
        '/12/accounts/{account_id}/promotable_users',
      );
      expect(users.map((each) => each.promotable_user_type).sort()).toEqual(['FULL', 'RETWEETS_ONLY']);
    });

    it('write with a form body', async () => {
      const renamed = await place.marquee([
        'request',
        'put',
        '/12/accounts/:account_id',
        'name=Acme & Söhne',
        ...credentials,
      ]);
      expect(renamed).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^200 OK {2}PUT /) });
      expect(JSON.parse(renamed.stdout).data.name).toBe('Acme & Söhne');
    });

    it('send JSON from standard input, and end with 1 when they are refused', async () => {
      const path = '/12/batch/accounts/:account_id/campaigns';
      const refused = await place.marquee(['request', 'POST', path, '--json', '-', ...credentials], { input: '[]' });
      expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^400 Bad Request {2}POST /) });
      expect(JSON.parse(refused.stdout)).toHaveProperty('errors');
    });

    it('go to the sandbox, and show every header when asked', async () => {
      const made = await place.marquee(['request', 'POST', '/sandbox/12/accounts', '-i', ...credentials]);
      expect(made).toMatchObject({
        exitCode: 0,
        stderr: expect.stringMatching(
          /^201 Created {2}POST http:\/\/localhost:\d+\/sandbox\/12\/accounts\n[^]*x-request-id: /,
        ),
      });
      const elsewhere = await place.marquee(['request', 'POST', '/12/accounts', ...credentials]);
      expect(elsewhere).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^404 Not Found {2}POST /) });
    });

    it('upload files, whole and in segments, and leave texts that begin with @ alone', async () => {
      const upload = (path: string, ...more: string[]) =>
        place.marquee(['request', 'POST', '/1.1/media/upload.json', `media=@${path}`, ...more, ...credentials]);
      const sources = resolve('docs/images/swagger-ui.png');
      const picture = await upload(sources, 'media_category=post_image');
      expect(picture).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^200 OK {2}POST [^%]*$/) });
      expect(JSON.parse(picture.stdout)).toMatchObject({
        media_key: expect.stringMatching(/^3_\d+$/),
        size: statSync(sources).size,
        image: { image_type: 'image/png' },
      });

      // One frame, and a comment of 6 MiB behind it.
      const comment = Buffer.alloc(2 + 6 * 1024 * 1024 + 1);
      comment.set([0x21, 0xfe]);
      for (let from = 2; from < comment.length - 1; from += 256) comment[from] = 255;
      const still = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64');
      const gif = place.path('large.gif');
      writeFileSync(gif, Buffer.concat([still.subarray(0, -1), comment, Buffer.from([0x3b])]));
      const large = await upload(gif, 'media_category=post_gif');
      expect(large).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('succeeded'),
        stderr: expect.stringMatching(/^200 OK {2}(GET|POST) [^%]*$/),
      });
      expect(JSON.parse(large.stdout)).toMatchObject({
        size: statSync(gif).size,
        processing_info: { state: 'succeeded' },
      });

      writeFileSync(place.path('broken.mp4'), Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex'));
      const broken = await upload(place.path('broken.mp4'), 'media_category=post_video');
      expect(broken).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('no \\"moov') });

      const shown = await upload(sources, 'media_category=post_image', '--dry-run');
      expect(shown).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/^POST [^]*multipart\/form-data[^]*name="media_category"\n\npost_image\n/),
        stderr: expect.stringContaining(`${sources} (${statSync(sources).size} bytes)`),
      });
      expect(await upload('nothing.png')).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: 'error: media: nothing.png does not exist\n',
      });

      const text = await place.marquee([
        'request',
        'POST',
        '/12/accounts/:account_id/draft_posts',
        `as_user_id=${alice.user_id}`,
        'text=@alice hi',
        ...credentials,
      ]);
      expect(text).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('@alice hi') });
    });

    it('take credentials from the environment', async () => {
      const env = { MARQUEE_CONSUMER_KEY: 'ck', MARQUEE_CONSUMER_SECRET: 'cs', MARQUEE_ACCOUNT_ID: 'x' };
      const missing = await place.marquee(['request', 'GET', '/12/accounts/:account_id'], { env });
      expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('(MARQUEE_ACCESS_TOKEN)') });
      const full = { ...env, MARQUEE_ACCESS_TOKEN: 'at', MARQUEE_ACCESS_TOKEN_SECRET: 'ats' };
      const unknown = await place.marquee(['request', 'GET', '/12/accounts/:account_id'], { env: full });
      expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^401 Unauthorized {2}GET /) });
      expect(unknown.stderr).toMatch(
        /\nMarquee [\d.]+ answers at \S+, so the credentials in the environment belong to another store/,
      );
    });

    it('are only shown on a dry run, without secrets', async () => {
      const { exitCode, stdout } = await place.marquee([
        'request',
        'GET',
        '/12/accounts',
        'q=a b',
        '-n',
        ...credentials,
      ]);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^GET \/12\/accounts\?q=a%20b HTTP\/1\.1\nhost: localhost:\d+\nauthorization: OAuth /);
      const secrets = ['app.json', 'token.json'].map((file) => readFileSync(place.path(file), 'utf8'));
      for (const text of secrets) {
        const [secret] = Object.entries<string>(JSON.parse(text)).filter(([name]) => name.endsWith('_secret'));
        expect(secret[1]).toMatch(/^\w{40,}$/);
        expect(stdout).not.toContain(secret[1]);
      }
    });
  });

  describe('doctor', () => {
    type Findings = { check: string; state: string; found: string; remedy?: string }[];
    const examined = async (...argv: string[]) => {
      const { exitCode, stdout, stderr } = await place.marquee(['doctor', '--json', ...argv]);
      return { exitCode, stderr, findings: JSON.parse(stdout) as Findings };
    };
    /** Credentials of the test with other values. */
    const file = (name: string, values: object) => {
      writeFileSync(place.path(name), JSON.stringify(values));
      return [...credentials, '--credentials', place.path(name)];
    };
    const problemsOf = (findings: Findings) => findings.filter(({ state }) => state === 'problem');

    it('finds nothing where everything works, and prints no secret', async () => {
      const { exitCode, findings } = await examined(...credentials);
      expect(findings.map(({ check, state }) => `${check}: ${state}`)).toEqual([
        'keys: ok',
        'service: ok',
        'clock: ok',
        'URLs: ok',
        'proxy: ok',
        'store: ok',
        'signed request: ok',
      ]);
      expect(exitCode).toBe(0);
      const { stdout } = await place.marquee(['doctor', ...credentials]);
      expect(stdout).toMatch(/^ok {7}keys: consumer_key, consumer_secret, access_token, access_token_secret are in /);
      for (const name of ['app.json', 'token.json'])
        for (const [key, value] of Object.entries<string>(JSON.parse(readFileSync(place.path(name), 'utf8'))))
          if (key.endsWith('_secret')) expect(stdout).not.toContain(value);
    });

    it('names missing keys, and where the demo has them', async () => {
      const { exitCode, findings } = await examined();
      expect(exitCode).toBe(1);
      expect(problemsOf(findings)).toMatchObject([
        { check: 'keys', remedy: expect.stringContaining('demo-credentials.json') },
      ]);
    });

    it('says why a signed request is rejected', async () => {
      const { exitCode, findings } = await examined(...file('wrong.json', { access_token_secret: 'x' }));
      expect(exitCode).toBe(1);
      expect(problemsOf(findings)).toMatchObject([
        { check: 'signed request', found: expect.stringContaining(' answers 401'), remedy: expect.anything() },
      ]);
    });

    it('finds that nothing listens, or that something else does', async () => {
      const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
      await once(other, 'listening');
      const url = `http://localhost:${(other.address() as AddressInfo).port}`;
      try {
        const { findings } = await examined(...file('else.json', { base_url: url }));
        expect(problemsOf(findings)).toMatchObject([
          { check: 'service', found: expect.stringContaining('is not Marquee') },
        ]);
      } finally {
        other.close();
      }
      const { exitCode, findings } = await examined(...file('else.json', { base_url: url }));
      expect(exitCode).toBe(1);
      expect(problemsOf(findings)).toMatchObject([
        { check: 'service', found: `no service listens at ${url}`, remedy: expect.stringContaining('npm start') },
      ]);
    });

    it('finds a proxy that changes the host and that the service does not trust', async () => {
      const { port } = new URL(place.url);
      const proxy = createServer((incoming, outgoing) => {
        const headers = { ...incoming.headers, host: `internal:${port}` };
        if (incoming.headers.host) Object.assign(headers, { 'x-forwarded-host': incoming.headers.host });
        Object.assign(headers, { 'x-forwarded-proto': 'http' });
        const { method, url: path } = incoming;
        incoming.pipe(
          request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
            outgoing.writeHead(answer.statusCode!, answer.headers);
            answer.pipe(outgoing);
          }),
        );
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const url = `http://localhost:${(proxy.address() as AddressInfo).port}`;
      try {
        const { findings } = await examined(
          ...file('proxy.json', { base_url: url, ads_base_url: url, ads_sandbox_base_url: `${url}/sandbox` }),
        );
        expect(problemsOf(findings)).toMatchObject([
          { check: 'URLs', remedy: expect.stringContaining(place.url) },
          { check: 'proxy', remedy: expect.stringMatching(/^set TRUST_PROXY /) },
          { check: 'signed request' },
        ]);
      } finally {
        proxy.closeAllConnections();
        proxy.close();
      }
    });
  });

  describe('commands given while the service runs', () => {
    it('are carried out inside it, and count at once', async () => {
      const { account_id } = account;
      await place.json(['user', 'create', 'carol', '--password-stdin'], { input: 'secret' });
      const own = await place.json(['account', 'create', '--owner', 'carol', '--name', 'Carol']);
      expect(own.timezone).toBe('America/Los_Angeles');
      expect(await read('/12/accounts?q=Carol')).toEqual([]);
      const { exitCode, stdout } = await place.marquee(['account', 'grant', own.account_id, '@alice', 'ad_manager']);
      expect({ exitCode, stdout }).toEqual({
        exitCode: 0,
        stdout: `alice is now AD_MANAGER on account ${own.account_id}.\n`,
      });
      expect(await read('/12/accounts?q=Carol')).toMatchObject([{ id: own.account_id }]);
      expect(
        (await read<{ permissions: string[] }>(`/12/accounts/${own.account_id}/authenticated_user_access`)).permissions,
      ).toEqual(['AD_MANAGER', 'POST_COMPOSER']);
      await place.json(['account', 'grant', own.account_id, 'alice', '--revoke']);
      expect(await read('/12/accounts?q=Carol')).toEqual([]);

      expect(await place.json(['account', 'feature', account_id, '--add', 'DR_TAP,BRAND_TPN'])).toMatchObject({
        features: expect.arrayContaining(['BRAND_TPN', 'DR_TAP']),
      });
      expect(await read(`/12/accounts/${account_id}/features`)).toContain('BRAND_TPN');
      expect(await place.json(['migrate'])).toEqual([]);
    });

    it('fund a production account, whose campaigns can be made then', async () => {
      const { account_id } = account;
      const card = await place.json(['funding', 'create', account_id, '--type', 'credit_card', '--currency', 'usd']);
      expect(card).toMatchObject({
        account_id,
        type: 'CREDIT_CARD',
        currency: 'USD',
        able_to_fund: true,
        end_time: null,
      });
      const order = await place.json([
        ...['funding', 'create', account_id, '--type', 'INSERTION_ORDER', '--currency', 'EUR'],
        ...['--start-time', '2026-01-01T00:00:00Z', '--end-time', '2126-01-01T00:00:00Z'],
        ...['--funded-amount-local-micro', '250000000000', '--by', 'alice'],
      ]);
      expect(order).toMatchObject({ funded_amount_local_micro: 250_000_000_000, end_time: '2126-01-01T00:00:00Z' });
      const data = await read(`/12/accounts/${account_id}/funding_instruments?sort_by=created_at-asc`);
      const views = [card, order].map(({ funding_instrument_id: id, ...view }) => {
        // the name of the placeholder of requests
        expect(id).toBe(view.id);
        return view;
      });
      expect(data).toEqual(views);
      const paid = `name=Funded&funding_instrument_id=${card.id}&daily_budget_amount_local_micro=5500000`;
      const made = await sendAs(keys, 'POST', `/12/accounts/${account_id}/campaigns?${paid}`);
      expect(made.status).toBe(201);

      const spend = ['funding', 'spend', account_id, order.id, '--amount-local-micro'];
      expect(await place.json([...spend, '249999990000'])).toEqual({
        funding_instrument_id: order.id,
        spent_local_micro: 249_999_990_000,
        credit_remaining_local_micro: null,
        able_to_fund: true,
        reasons_not_able_to_fund: [],
      });
      const { stdout: exhausted } = await place.inside([...spend, '10000', '--by', '@alice']);
      expect(exhausted).toMatch(/spent_local_micro +250000000000\n[^]*able_to_fund +no\n/);
      expect(await read<object>(`/12/accounts/${account_id}/funding_instruments/${order.id}`)).toMatchObject({
        reasons_not_able_to_fund: ['BUDGET_EXHAUSTED'],
      });
      const { id: campaign } = made.body.data;
      expect(
        await place.json([
          'funding',
          'spend',
          account_id,
          card.id,
          '--amount-local-micro',
          '20000',
          '--campaign',
          campaign,
        ]),
      ).toMatchObject({
        campaign_id: campaign,
        campaign_spent_local_micro: 20_000,
        campaign_total_budget_amount_local_micro: null,
      });

      expect(await place.json(['funding', 'delete', account_id, order.id])).toMatchObject({
        deleted: true,
        reasons_not_able_to_fund: ['BUDGET_EXHAUSTED', 'DELETED'],
      });
      expect(await place.json(['funding', 'list', account_id])).toMatchObject([{ id: card.id }]);
      const { stdout } = await place.inside(['funding', 'list', account_id, '--with-deleted']);
      expect(stdout).toMatch(new RegExp(`${order.id} +INSERTION_ORDER +EUR .* no +BUDGET_EXHAUSTED, DELETED\\n`));
    });

    it('rotate an application, whose old key is refused at once', async () => {
      const app = await place.json(['app', 'create', '--name', 'Turning', '--owner', 'alice']);
      const token = await place.json([
        'token',
        'issue',
        '--user',
        'alice',
        '--app',
        app.application_id,
        '--access',
        'read',
      ]);
      const statusWith = async (pair: object) => (await sendAs({ ...token, ...pair }, 'GET', '/12/accounts')).status;
      expect(await statusWith(app)).toBe(200);
      const rotated = await place.json(['app', 'rotate', 'Turning']);
      expect(await statusWith(app)).toBe(401);
      expect(await statusWith(rotated)).toBe(200);
      const statusAt = async (level: string) => {
        expect(await place.json(['app', 'access', 'Turning', level])).toMatchObject({ ads_access: level });
        return statusWith(rotated);
      };
      expect([await statusAt('conversions'), await statusAt('none')]).toEqual([403, 403]);
      expect(await statusAt('standard')).toBe(200);
      const { stdout } = await place.inside(['app', 'list']);
      expect(stdout).toContain(rotated.consumer_key);
      expect(stdout).not.toContain(rotated.consumer_secret);
    });

    const inside = async <T>(command: string) => {
      const ended = await place.inside([...command.split(' '), '--json']);
      expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
      return JSON.parse(ended.stdout) as T;
    };
    type Listed = Record<string, string>[];

    it('list users, accounts and tokens, the newest first and in parts, and show one', async () => {
      await place.inside(['user', 'create', 'listed', '--name', 'Listed L'], 'secret');
      const users = await inside<Listed>('user list');
      expect(users[0]).toEqual({
        user_id: expect.stringMatching(/^\d+$/),
        username: 'listed',
        name: 'Listed L',
        can_sign_in: true,
        suspended: false,
        created_at: expect.stringMatching(/^20\d\d-.*Z$/),
      });
      const [first, second] = [users[0].user_id, users[1].user_id];
      const signIn = users.map(({ can_sign_in }) => can_sign_in);
      expect(signIn).toEqual([...signIn].sort((one, other) => Number(other) - Number(one)));
      expect(users.map(({ username }) => username)).toEqual(expect.arrayContaining(['listed', 'alice', 'bob']));
      const inParts: Listed = [];
      for (let before = ''; inParts.length < users.length; before = ` --before ${inParts.at(-1)!.user_id}`)
        inParts.push(...(await inside<Listed>(`user list --count 1${before}`)));
      expect(inParts).toEqual(users);
      const named = async (options: string) =>
        (await inside<Listed>(`user list ${options}`)).map(({ username }) => username);
      expect(await named('--name LIS')).toEqual(['listed']);
      expect(await named('--name lIsTeD --with-access')).toEqual([]);
      expect(await named('--with-access')).toEqual(expect.arrayContaining(['alice', 'bob']));
      expect(await named('--with-access')).not.toContain('listed');
      expect((await place.inside(['user', 'list', '--before', '1'])).stderr).toContain('--before 1: there is no user');
      expect((await inside<Listed>(`user list --count 1 --before ${first}`)).map(({ user_id }) => user_id)).toEqual([
        second,
      ]);
      expect((await place.inside(['user', 'list', '--count', '1'])).stdout).toContain(`--before ${first}\n`);

      await place.inside([
        'account',
        'create',
        '--owner',
        'listed',
        '--name',
        'Shown',
        '--environment',
        'sandbox',
        '--country',
        'de',
      ]);
      const own = await inside<Listed>('account list --user listed');
      expect(own).toMatchObject([{ name: 'Shown', environment: 'sandbox' }]);
      expect(await inside<Listed>('account list --user listed --environment production')).toEqual([]);
      expect(await inside<Listed>('account list --name sHO')).toEqual(own);
      await place.inside(['account', 'grant', own[0].account_id, 'bob', 'ANALYST']);
      expect(await inside(`account show ${own[0].account_id}`)).toMatchObject({
        ...own[0],
        country_code: 'DE',
        active_campaigns: 0,
        active_campaign_limit: 200,
        members: [
          { username: 'listed', role: 'ACCOUNT_ADMIN' },
          { username: 'bob', role: 'ANALYST' },
        ],
        promotable_users: [{ username: 'listed', promotable_user_type: 'FULL' }],
      });
      expect(await inside(`account show ${account.account_id}`)).toMatchObject({
        active_campaign_limit: 300,
        media_bytes: 0,
        media_bytes_limit: 100 * 1024 ** 3,
        audience_rows: 0,
        audience_rows_limit: 100_000_000,
        engagements: 0,
        engagements_limit: 1_000_000,
        leads: 0,
        leads_limit: 1_000_000,
      });
      expect(await inside('user show bob')).toMatchObject({
        username: 'bob',
        unfinished_upload_bytes: 0,
        unfinished_upload_bytes_limit: 10 * 1024 ** 3,
        media_bytes: 0,
        media_bytes_limit: 100 * 1024 ** 3,
      });
      const { stdout: shownAccount } = await place.inside(['account', 'show', own[0].account_id]);
      expect(shownAccount).toMatch(/^name +Shown$[^]*^USER_ID +USERNAME +ROLE[^]*bob +ANALYST/m);

      const issued = await inside<Record<string, string>>('token issue --user listed --app Tool --access read');
      const [token, ...others] = await inside<Listed>('token list --user listed --app Tool');
      expect([token, others]).toMatchObject([
        { username: 'listed', application: 'Tool', access_level: 'read', source: 'command', revoked_at: null },
        [],
      ]);
      const shown = await inside(`token show ${token.token_id}`);
      expect(shown).toEqual({ ...token, access_token: issued.access_token });
      expect(await inside(`token show ${issued.access_token}`)).toEqual(shown);
      expect(JSON.stringify([token, shown])).not.toContain(issued.access_token_secret);
      await inside(`token revoke ${token.token_id}`);
      expect(await inside('token list --user listed')).toEqual([]);
      expect(await inside('token list --user listed --revoked')).toMatchObject([
        { ...token, revoked_at: expect.stringMatching(/Z$/) },
      ]);
    });

    it('issue tokens of OAuth 2.0 that `request` sends, show their grant and revoke it', async () => {
      await inside('app update Tool --client public');
      const issue = 'token issue --user alice --app Tool --scope ads.read --scope offline.access';
      const issued = await inside<Record<string, string>>(issue);
      const file = keep('bearer.json', issued);
      expect(await place.marquee(['request', 'GET', '/12/accounts', ...file])).toMatchObject({
        exitCode: 0,
        stderr: expect.stringMatching(/^200 OK/),
      });
      const [grant, ...others] = await inside<Listed>('token list --oauth2 --user alice --app Tool');
      expect([grant, others]).toMatchObject([
        { username: 'alice', application: 'Tool', scopes: 'ads.read offline.access', revoked_at: null },
        [],
      ]);
      for (const known of [issued.access_token, issued.refresh_token, grant.token_id])
        expect(await inside(`token show ${known}`)).toEqual(grant);
      await inside(`token revoke ${issued.access_token}`);
      const again = await place.inside(['token', 'revoke', String(grant.token_id)]);
      expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('already revoked') });
      const headers = { authorization: `Bearer ${issued.access_token}` };
      expect((await fetch(`${place.url}/12/accounts`, { headers })).status).toBe(401);
      expect(await inside('token list --oauth2 --user alice')).toEqual([]);
      expect(await inside('token list --oauth2 --user alice --revoked')).toMatchObject([
        { ...grant, revoked_at: expect.stringMatching(/Z$/) },
      ]);
    });

    describe('suspend and delete', () => {
      /** A user with an account, an application of theirs and a token, and what sends requests with it. */
      async function person(name: string) {
        await place.inside(['user', 'create', name, '--name', name, '--no-password']);
        const app = JSON.parse(
          (await place.inside(['app', 'create', '--name', `Of ${name}`, '--owner', name, '--json'])).stdout,
        );
        const issue = ['token', 'issue', '--user', name, '--app', app.application_id, '--json'];
        const token = JSON.parse((await place.inside(issue)).stdout);
        const create = ['account', 'create', '--owner', name, '--name', `Of ${name}`, '--json'];
        const owned = JSON.parse((await place.inside(create)).stdout);
        const ask = (method: string, path: string) => sendAs({ ...app, ...token }, method, path);
        return { app, token, owned, ask };
      }

      it('refuses what a suspended user signs until they are restored', async () => {
        const { ask } = await person('paused');
        expect((await ask('GET', '/12/accounts')).status).toBe(200);
        const suspended = await place.inside(['user', 'suspend', 'paused', '--json']);
        expect(JSON.parse(suspended.stdout)).toMatchObject({ username: 'paused', suspended: true, ended_sessions: 0 });
        expect((await ask('GET', '/12/accounts')).status).toBe(401);
        expect(await place.inside(['user', 'suspend', 'paused'])).toMatchObject({
          exitCode: 1,
          stderr: expect.stringContaining('is already suspended'),
        });
        await place.inside(['user', 'restore', 'paused']);
        expect((await ask('GET', '/12/accounts')).status).toBe(200);
        expect(await place.inside(['user', 'restore', 'paused'])).toMatchObject({
          exitCode: 1,
          stderr: expect.stringContaining('is not suspended'),
        });
      });

      it('exports everything kept about a user, without secrets', async () => {
        const { app, token, owned, ask } = await person('exported');
        const account = owned.account_id;
        writeFileSync(
          place.path('exported.ndjson'),
          `${JSON.stringify({ username: 'exported', country: 'DE', interests: ['11005'], follows: ['bob'], email: 'exported@example.com' })}\n`,
        );
        expect((await place.inside(['directory', 'import', place.path('exported.ndjson')])).exitCode).toBe(0);
        const { user_id: id } = JSON.parse((await place.inside(['user', 'show', 'exported', '--json'])).stdout);
        const composed = `as_user_id=${id}&text=Words%20of%20mine`;
        expect((await ask('POST', `/12/accounts/${account}/draft_posts?${composed}`)).status).toBe(201);
        const posted = await ask('POST', `/12/accounts/${account}/post?${composed}&nullcast=false`);
        expect(posted.status).toBe(201);

        const printed = await place.inside(['user', 'export', 'exported']);
        const document = JSON.parse(printed.stdout);
        expect(document).toMatchObject({
          user: { id, username: 'exported', name: 'exported', has_password: false, suspended_at: null },
          applications: [{ id: app.application_id, name: 'Of exported', deleted_at: null }],
          access_tokens: [{ application_id: app.application_id, access_level: 'write', source: 'command' }],
          sign_in_flows: [],
          sessions: [],
          directory: { country: 'DE', interests: ['11005'], follows: [expect.stringMatching(/^\d+$/)] },
          memberships: [{ account_id: account, role: 'ACCOUNT_ADMIN' }],
          promotable_users: [{ account_id: account, promotable_user_type: 'FULL' }],
          posts: [{ text: 'Words of mine', created_at: expect.stringMatching(/Z$/), deleted_at: null }],
          draft_posts: [{ account_id: account, user_id: id, text: 'Words of mine' }],
          scheduled_posts: [],
          preview_notifications: [],
          media: [],
          engagements: [],
          grants: [],
          storage: { unfinished_upload_bytes: 0, media_bytes: 0 },
        });
        expect(document.directory.identifiers).toContainEqual({
          kind: 'email',
          sha256: createHash('sha256').update('exported@example.com').digest('hex'),
        });
        for (const secret of [app.consumer_key, app.consumer_secret, token.access_token, token.access_token_secret])
          expect([secret.length > 10, printed.stdout.includes(secret)]).toEqual([true, false]);
        expect((await place.inside(['user', 'export', 'exported', '--json'])).stdout).toBe(printed.stdout);

        const out = place.path('exported.json');
        const written = await place.inside(['user', 'export', id, '--out', out, '--json']);
        expect(JSON.parse(written.stdout)).toEqual({
          user_id: id,
          username: 'exported',
          file: out,
          bytes: Buffer.byteLength(printed.stdout),
        });
        expect(readFileSync(out, 'utf8')).toBe(printed.stdout);
        expect(statSync(out).mode & 0o777).toBe(0o600);
        expect(await place.inside(['user', 'export', 'exported', '--out', out])).toMatchObject({
          exitCode: 1,
          stderr: expect.stringContaining(`${out} already exists`),
        });
      });

      it('deletes a user, once it is confirmed and no ad account is left without an administrator', async () => {
        const { app, owned, ask } = await person('mortal');
        const { user_id: id } = JSON.parse((await place.inside(['user', 'show', 'mortal', '--json'])).stdout);
        for (const options of [[], ['--yes']])
          expect(await place.inside(['user', 'delete', 'mortal', ...options])).toMatchObject({
            exitCode: 1,
            stderr: expect.stringContaining(
              `the user is the only administrator of Of mortal (${owned.account_id}); give each of these ad accounts another administrator`,
            ),
          });
        expect((await ask('GET', '/12/accounts')).status).toBe(200);
        await place.inside(['account', 'grant', owned.account_id, 'bob', 'ACCOUNT_ADMIN']);
        expect(await place.inside(['user', 'delete', 'mortal'])).toMatchObject({
          exitCode: 1,
          stderr: expect.stringContaining(
            `the user mortal (${id}) would be permanently deleted with all their data; repeat the command with --yes`,
          ),
        });
        const deleted = await place.inside(['user', 'delete', 'mortal', '--yes', '--json']);
        expect(JSON.parse(deleted.stdout)).toEqual({
          user_id: id,
          deleted: true,
          ended_sessions: 0,
          ended_access_tokens: 1,
          ended_grants: 0,
          applications: [app.application_id],
        });
        expect((await ask('GET', '/12/accounts')).status).toBe(401);
        for (const gone of ['mortal', id])
          expect(await place.inside(['user', 'delete', gone, '--yes'])).toMatchObject({
            exitCode: 1,
            stderr: expect.stringContaining(`there is no user ${gone}`),
          });
      });

      it('says what is removed with a user, what stays, and why', async () => {
        await place.inside(['user', 'create', 'passing', '--no-password']);
        const { user_id: id } = JSON.parse((await place.inside(['user', 'show', 'passing', '--json'])).stdout);
        const { stdout } = await place.inside(['user', 'delete', '@passing', '--yes']);
        expect(stdout).toContain(`The user ${id} is deleted. Ended sessions: 0; access tokens: 0; grants: 0.\n`);
        expect(stdout).toContain('A background job removes within minutes: the username and the name, posts,');
        expect(stdout).toContain('Kept: the id, because history, posts and promotions name it;');
        expect(stdout).not.toContain('Their applications');
      });

      it('ends the tokens and the key of a deleted application, once it is confirmed', async () => {
        const { app, ask } = await person('leaver');
        const id = app.application_id;
        expect(await place.inside(['app', 'delete', id])).toMatchObject({
          exitCode: 1,
          stderr: expect.stringContaining('repeat the command with --yes'),
        });
        expect((await ask('GET', '/12/accounts')).status).toBe(200);
        const basic = Buffer.from(`${app.consumer_key}:${app.consumer_secret}`).toString('base64');
        const issueBearer = () =>
          fetch(`${place.url}/oauth2/token`, {
            method: 'POST',
            headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
            body: 'grant_type=client_credentials',
          });
        const { access_token: bearer } = (await (await issueBearer()).json()) as { access_token: string };
        const listWebhooks = () => fetch(`${place.url}/2/webhooks`, { headers: { authorization: `Bearer ${bearer}` } });
        expect((await listWebhooks()).status).toBe(200);
        const deleted = await place.inside(['app', 'delete', id, '--yes', '--json']);
        expect(JSON.parse(deleted.stdout)).toEqual({
          application_id: id,
          deleted: true,
          ended_access_tokens: 1,
          ended_grants: 0,
          ended_bearer_tokens: 1,
          deleted_webhooks: 0,
        });
        expect((await ask('GET', '/12/accounts')).status).toBe(401);
        expect((await listWebhooks()).status).toBe(401);
        expect((await issueBearer()).status).toBe(403);
        expect(await place.inside(['app', 'delete', id, '--yes'])).toMatchObject({
          exitCode: 1,
          stderr: expect.stringContaining('there is no application'),
        });
        expect((await place.inside(['app', 'list'])).stdout).not.toContain('Of leaver');
      });

      it('deletes an ad account of the production environment, once it is confirmed', async () => {
        const { owned, ask } = await person('closer');
        const id = owned.account_id;
        expect(await place.inside(['account', 'delete', id])).toMatchObject({
          exitCode: 1,
          stderr: expect.stringContaining('repeat the command with --yes'),
        });
        expect((await ask('GET', `/12/accounts/${id}`)).body.data.deleted).toBe(false);
        const deleted = await place.inside(['account', 'delete', id, '--yes', '--json']);
        expect(JSON.parse(deleted.stdout)).toEqual({ account_id: id, deleted: true });
        expect((await ask('GET', '/12/accounts')).body.data).toEqual([]);
        expect((await ask('GET', `/12/accounts/${id}/campaigns`)).status).toBe(404);
        expect(await place.inside(['account', 'delete', id, '--yes'])).toMatchObject({
          exitCode: 1,
          stderr: expect.stringContaining('there is no ad account'),
        });
      });
    });

    it('let one of several win who want the same name', async () => {
      const all = await Promise.all([1, 2, 3].map(() => place.inside(['user', 'create', 'same', '--no-password'])));
      expect(all.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1]);
      expect(all.map(({ stderr }) => stderr).sort()[2]).toBe('error: the username same is taken\n');
    });

    it.each([
      [1, 'the username ALICE is taken', 'user create ALICE'],
      [1, 'there is no user nobody', 'app create --name x --owner nobody'],
      [1, 'there is no user nobody', 'account create --name x --owner nobody'],
      [1, 'there is no business 0000000000abc', 'account create --name x --owner alice --business 0000000000abc'],
      [1, 'there is no user nobody', 'account grant ACCOUNT nobody ANALYST'],
      [1, 'there is no ad account 32nope', 'account grant 32nope bob ANALYST'],
      [1, 'there is no ad account 32nope', 'account limit 32nope 200'],
      [1, 'there is no ad account 32nope', 'account feature 32nope --add DR_TAP'],
      [1, 'there is no ad account 32nope', 'account promotable-user 32nope bob --type FULL'],
      [1, 'is already a promotable user of account', 'account promotable-user ACCOUNT bob --type RETWEETS_ONLY'],
      [1, 'already has a FULL promotable user', 'account promotable-user ACCOUNT carl --type FULL'],
      [1, 'carl has no role', 'account grant ACCOUNT carl --revoke'],
      [1, 'carl is not a promotable user', 'account promotable-user ACCOUNT carl --remove'],
      [1, 'there is no application Nope', 'token issue --user alice --app Nope'],
      [1, 'there is no application Nope', 'app rotate Nope'],
      [1, 'there is no user nobody', 'account list --user nobody'],
      [1, 'there is no ad account 32nope; `marquee account list` lists ad accounts', 'account show 32nope'],
      [1, 'there is no user nobody', 'token list --user nobody'],
      [1, 'there is no access token 32nope; `marquee token list` lists access tokens', 'token show 32nope'],
      [1, 'there is no access token 32nope', 'token revoke 32nope'],
      [2, 'It must be a whole number from 1 to 1000.', 'user list --count 0'],
      [1, 'the store is not empty', 'demo'],
      [1, 'there is no ad account 32nope', 'funding create 32nope --type CREDIT_CARD --currency USD'],
      [1, 'there is no ad account 32nope', 'funding list 32nope'],
      [1, 'carl has no role on account', 'funding create ACCOUNT --type CREDIT_CARD --currency USD --by carl'],
      [1, 'currency', 'funding create ACCOUNT --type CREDIT_CARD --currency XYZ'],
      [1, 'end_time', 'funding create ACCOUNT --type INSERTION_ORDER --currency USD'],
      [
        1,
        'funded_amount_local_micro cannot be set for CREDIT_CARD (it is only for INSERTION_ORDER, PARTNER_MANAGED)',
        'funding create ACCOUNT --type CREDIT_CARD --currency USD --funded-amount-local-micro 1000000',
      ],
      [1, 'start_time', 'funding create ACCOUNT --type CREDIT_CARD --currency USD --start-time tomorrow'],
      [
        1,
        'credit_limit_local_micro',
        'funding create ACCOUNT --type CREDIT_LINE --currency USD --credit-limit-local-micro -5',
      ],
      [
        1,
        'for "5.5" send 5500000.',
        'funding create ACCOUNT --type CREDIT_LINE --currency USD --credit-limit-local-micro 5.5',
      ],
      [2, 'country has no value "Germany". The code of Germany is DE.', 'directory count country=Germany'],
      [1, 'amount_local_micro', 'funding spend ACCOUNT 0zzzzzzzzzzzz --amount-local-micro 0'],
      [1, 'Funding Instrument 0zzzzzzzzzzzz', 'funding spend ACCOUNT 0zzzzzzzzzzzz --amount-local-micro 10000'],
      [2, "required option '--amount-local-micro", 'funding spend ACCOUNT 0zzzzzzzzzzzz'],
      [2, 'Allowed values: AGENCY_CREDIT_LINE,', 'funding create ACCOUNT --type GOLD --currency USD'],
      [2, 'Allowed values: ACCOUNT_ADMIN, AD_MANAGER,', 'account grant ACCOUNT bob KING'],
      [2, 'a role is missing; allowed are ACCOUNT_ADMIN,', 'account grant ACCOUNT bob'],
      [2, 'from 1 to 8000', 'account limit ACCOUNT 8001'],
      [2, 'Allowed values: AGE_TARGETING,', 'account feature ACCOUNT --add WINGS'],
      [2, 'allowed are FULL, RETWEETS_ONLY', 'account promotable-user ACCOUNT bob'],
      [2, 'Allowed values: production, sandbox.', 'account create --owner alice --name x --environment moon'],
      [2, 'Allowed values: AD, AE,', 'account create --owner alice --name x --country XX'],
      [2, "required option '--owner <username>'", 'app create --name x'],
      [2, 'cannot be combined', 'app create --name x --owner alice --desktop --callback https://a.example/'],
    ])('end with %i and "%s": %s', async (exitCode, words, command) => {
      if (command.includes(' carl ')) await place.inside(['user', 'create', 'carl']);
      const ended = await place.inside(command.replace('ACCOUNT ', `${account.account_id} `).split(' '));
      expect(ended).toMatchObject({ exitCode, stdout: '' });
      expect(ended.stderr).toContain(words);
      expect(ended.stderr).toMatch(/^error: .+\n$/);
    });
  });

  describe('commands that are not carried out', () => {
    it.each([
      [1, 'there is no ad account 32nope', 'account limit 32nope 200'],
      [1, 'a password must have 1 to 1000 characters', 'user create dora --password-stdin'],
      [1, 'the credentials have no campaign_id', 'request GET /12/accounts/x/campaigns/:campaign_id -c APP'],
      [2, 'Allowed values: ACCOUNT_ADMIN, AD_MANAGER,', 'account grant 32nope bob KING'],
      [2, '"x" does not have the form name=value', 'request GET /12/accounts x'],
      [2, '--json is not JSON', 'request POST /12/accounts --json {'],
    ])('end with %i and "%s": %s', async (exitCode, words, command) => {
      const ended = await place.marquee(command.replace('APP', place.path('app.json')).split(' '));
      expect(ended).toMatchObject({ exitCode, stdout: '', stderr: expect.stringContaining(words) });
      expect(ended.stderr).toMatch(/^error: .+\n$/);
    });
  });

  describe('when the service has ended', () => {
    it('commands open the store themselves again, and requests say that nobody listens', async () => {
      await place.stop('SIGKILL');
      expect(statSync(place.path('admin.sock')).isSocket()).toBe(true);
      const unheard = await place.marquee(['request', 'GET', '/12/accounts', ...credentials]);
      expect(unheard).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(`no service listens at ${place.url}`),
      });
      const examined = await place.marquee(['doctor', '--json', ...credentials]);
      expect({ exitCode: examined.exitCode, findings: JSON.parse(examined.stdout) }).toMatchObject({
        exitCode: 1,
        findings: [
          { check: 'keys', state: 'ok' },
          { check: 'service', state: 'problem' },
          { check: 'store', state: 'ok', found: expect.stringContaining('has all migrations') },
        ],
      });
      expect(await place.json(['account', 'limit', account.account_id, '400'])).toMatchObject({
        active_campaign_limit: 400,
      });
      await place.serve();
      expect(await place.json(['account', 'limit', account.account_id, '500'])).toMatchObject({
        active_campaign_limit: 500,
      });
      await place.stop();
      expect(statSync(place.path('admin.sock'), { throwIfNoEntry: false })).toBeUndefined();
    });
  });
});

describe('webhooks', () => {
  let place: Place;
  let demo: Record<string, string>;
  beforeAll(async () => {
    place = await Place.make({ LOG_LEVEL: 'warn' });
    await place.serve();
    demo = JSON.parse(readFileSync(place.path('demo-credentials.json'), 'utf8')) as Record<string, string>;
  });
  afterEach(closeReceivers);
  afterAll(() => place?.leave());

  // the first, because other tests register more webhooks
  it('lists, shows and deletes the webhooks of applications', async () => {
    const listed = await place.inside(['webhook', 'list']);
    expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(listed.stdout).toContain(`${demo.base_url}/demo/webhook`);
    const { stdout } = await place.inside(['webhook', 'list', '--app', 'Marquee Demo', '--json']);
    const [first, spare] = JSON.parse(stdout) as Record<string, unknown>[];
    expect(first).toEqual({
      webhook_id: demo.webhook_id,
      application_id: expect.any(String),
      url: `${demo.base_url}/demo/webhook`,
      valid: true,
      invalid_reason: null,
      created_at: expect.any(String),
      validated_at: expect.any(String),
      next_check_at: expect.any(String),
      failing_since: null,
    });
    const id = String(spare.webhook_id);
    expect(JSON.parse((await place.inside(['webhook', 'show', id, '--json'])).stdout)).toEqual(spare);
    expect((await place.inside(['webhook', 'delete', id])).stdout).toMatch(/is deleted/);
    for (const command of ['show', 'delete'])
      expect(await place.inside(['webhook', command, id])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(/there is no webhook \d+; `marquee webhook list` lists webhooks/),
      });
  });

  it('listens: forwards what happens, signed as a webhook is', async () => {
    const target = await receiver(demo.consumer_secret);
    const { child, ended } = place.run(['webhook', 'listen', '--forward-to', target.url]);
    let said = '';
    for (const stream of [child.stderr!, child.stdout!]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
    while (!said.includes('Events go to')) await pause(50);
    const { exitCode } = await place.marquee([
      ...[
        'request',
        'POST',
        '/12/accounts/:account_id/campaigns',
        'name=Forwarded',
        'daily_budget_amount_local_micro=5500000',
      ],
      'funding_instrument_id={funding_instrument_id}',
    ]);
    expect(exitCode).toBe(0);
    // what the demo made within the last second may come before it
    const [{ text, headers, event }] = await target.until(1, (each) => each.text.includes('"Forwarded"'));
    expect(event.campaign_events).toMatchObject([{ type: 'create', data: { name: 'Forwarded' } }]);
    const standard = new Webhook(`whsec_${Buffer.from(demo.consumer_secret).toString('base64')}`);
    expect(standard.verify(text, headers as Record<string, string>)).toEqual(event);
    while (!said.includes(' campaign.create ')) await pause(50);
    child.kill('SIGINT');
    const { stdout } = await ended;
    expect(stdout).toMatch(/ campaign\.create [0-9a-z]{13} 200 \(\d+ ms\)\n/);
  });

  it('triggers: a made-up event, delivered as any other', async () => {
    const target = await receiver(demo.consumer_secret);
    const bearer = await place.marquee([
      'request',
      'POST',
      '/oauth2/token',
      'grant_type=client_credentials',
      '--no-token',
      '-H',
      basic(),
    ]);
    const { access_token: token } = JSON.parse(bearer.stdout) as { access_token: string };
    const made = await place.marquee([
      ...['request', 'POST', '/2/webhooks', '--json', JSON.stringify({ url: target.url })],
      ...['-H', `Authorization: Bearer ${token}`],
    ]);
    const { data } = JSON.parse(made.stdout) as { data: { id: string } };
    for (const kind of ['campaign.update', 'user_event.revoke', 'scheduled_post.published']) {
      const json = await place.json(['webhook', 'trigger', kind, '--webhook', data.id]);
      const [{ event }] = await target.until(1, (each) => each.event.event_id === json.event_id);
      expect(event).toMatchObject({ event_id: json.event_id, test: true });
    }
    expect(await place.inside(['webhook', 'trigger', 'campaign.paint', '--webhook', data.id])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/Expected one of .*campaign\.create.* for kind, got "campaign\.paint"/),
    });
    expect(await place.inside(['webhook', 'trigger', 'campaign.update', '--webhook', '1'])).toMatchObject({
      exitCode: 1,
    });
  });

  const basic = () =>
    `Authorization: Basic ${Buffer.from(`${demo.consumer_key}:${demo.consumer_secret}`).toString('base64')}`;
});
