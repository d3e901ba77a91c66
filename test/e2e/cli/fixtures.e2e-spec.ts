import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { BusinessesService } from '../../../src/accounts/accounts/businesses.service.js';
import type { Context } from '../../../src/cli/context.js';
import { addFixturesCommand } from '../../../src/cli/fixtures/fixtures.command.js';
import { addExport } from '../../../src/cli/workbench/logs.commands.js';
import { eventKinds } from '../../../src/cli/fixtures/triggers.js';
import { newProgram, runCommand } from '../../../src/cli/run.js';
import { CapturedTerminal } from '../../../src/cli/terminal.js';
import { addWebhookTrigger } from '../../../src/cli/webhook.commands.js';
import { ScheduledPostsJob } from '../../../src/creatives/scheduled-posts/scheduled-posts.job.js';
import { eventMediaOf } from '../../../src/operations/docs/events.js';
import { kindOfBody } from '../../../src/webhooks/events/event-body.js';
import { Api, type Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Application } from '../../support/given.js';
import { closeReceivers, receiver, type Received } from '../../support/receiver.js';
import { Place, type Ended } from './marquee.js';

jest.setTimeout(180_000);

/** The owner of an application, with an account that has a funding instrument, and a file with the credentials. */
interface Integrator {
  application: Application;
  account: ActingAccount;
  api: Api;
  /** The path of the credentials. */
  file: string;
}

describe('fixtures', () => {
  useApp();
  let place: Place;
  beforeAll(async () => void (place = await Place.make({ LOG_LEVEL: 'warn' })));
  afterEach(closeReceivers);
  afterAll(() => place.leave());

  let files = 0;
  async function integrator(): Promise<Integrator> {
    const application = await given.application();
    const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
    const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
    const business = await world().get(BusinessesService).create(`Business ${application.id}`);
    const [account, second] = [
      await given.account({ userId: ownerId, businessId: business.id }),
      await given.account({ userId: ownerId, businessId: business.id }),
    ];
    for (const each of [account, second]) await given.fundingInstrument({ account: each });
    const own = { application, account, api: new Api({ consumer: application.consumer, token }) };
    const file = written(`credentials-${++files}.json`, {
      ...urls(),
      consumer_key: application.consumer.key,
      consumer_secret: application.consumer.secret,
      access_token: token.key,
      access_token_secret: token.secret,
      account_id: account.id,
      second_account_id: second.id,
    });
    return { ...own, file };
  }

  const urls = () => ({
    base_url: world().url,
    ads_base_url: world().url,
    ads_sandbox_base_url: `${world().url}/sandbox`,
  });

  /** A file in the data directory. */
  function written(name: string, content: unknown): string {
    writeFileSync(place.path(name), typeof content === 'string' ? content : JSON.stringify(content));
    return place.path(name);
  }

  /** A command of this process: what it sends is the same, and it need not start. */
  async function marquee(...argv: string[]): Promise<Ended> {
    const terminal = new CapturedTerminal(undefined, place.dataDir);
    const program = newProgram(terminal);
    addFixturesCommand(program, terminal);
    addWebhookTrigger(program.command('webhook'), { terminal } as unknown as Context);
    addExport(program.command('logs'), terminal);
    const exitCode = await runCommand(program, argv, terminal);
    return { exitCode, stdout: terminal.stdout, stderr: terminal.stderr };
  }

  const CAMPAIGN = {
    name: 'campaign',
    method: 'post',
    path: '/12/accounts/:account_id/campaigns',
    params: {
      name: 'Autumn',
      funding_instrument_id: '${funding:0.id}',
      daily_budget_amount_local_micro: 5_500_000,
      entity_status: 'PAUSED',
    },
  };
  const FUNDING = {
    name: 'funding',
    method: 'get',
    path: '/12/accounts/${.env:MARQUEE_ACCOUNT_ID}/funding_instruments',
  };

  describe('marquee fixtures', () => {
    it('sends the requests of a YAML file, and fills in what earlier ones answered', async () => {
      const { file, account, api } = await integrator();
      const yaml = `
        _meta: { template_version: 0 }
        fixtures:
          - { name: funding, method: get, path: '/12/accounts/\${.env:MARQUEE_ACCOUNT_ID}/funding_instruments' }
          - name: campaigns
            method: post
            path: /12/batch/accounts/:account_id/campaigns
            params:
              - operation_type: Create
                params:
                  name: One \${.env:SUFFIX|of several}
                  funding_instrument_id: \${funding:data.0.id}
                  daily_budget_amount_local_micro: 5500000
                  entity_status: PAUSED
          - name: line_item
            method: post
            path: /12/accounts/:account_id/line_items
            params:
              campaign_id: \${campaigns:0.id}
              objective: ENGAGEMENTS
              product_type: PROMOTED_POSTS
              placements: [PLATFORM_TIMELINE, PLATFORM_PROFILE]
              start_time: \${.now:+1d}
              end_time: \${.now:+2d}
              name: $\${campaigns:0.name}
              bid_amount_local_micro: 1500000
              entity_status: PAUSED
          - { name: deleted, method: delete, path: '/12/accounts/:account_id/campaigns/xyz', expected_status: 404 }
          - { name: at, method: get, path: '/12/accounts/:account_id', headers: { X-Marquee-As-Of: '\${.env:DATE|2026-13-01}' }, expected_status: 400 }
        env: { LINE_ITEM: '\${line_item:id}' }
      `;
      const path = written('f.yaml', yaml);
      writeFileSync(place.path('.env'), 'OTHER=1\n');
      const { exitCode, stdout, stderr } = await place.run(['fixtures', path, '--credentials', file], {
        env: { SUFFIX: 'of two' },
        cwd: place.dataDir,
      }).ended;
      expect([exitCode, stderr]).toEqual([0, `${place.path('.env')} is updated.\n`]);
      const [item] = (await api.get(`/12/accounts/${account.id}/line_items`)).body.data as Json[];
      const [campaign] = (await api.get(`/12/accounts/${account.id}/campaigns`)).body.data as Json[];
      expect(campaign).toMatchObject({ name: 'One of two', daily_budget_amount_local_micro: 5_500_000 });
      expect(item).toMatchObject({
        campaign_id: campaign.id,
        name: '${campaigns:0.name}',
        placements: expect.arrayContaining(['PLATFORM_TIMELINE', 'PLATFORM_PROFILE']),
      });
      expect(stdout.split('\n')).toEqual([
        `funding: 200 GET /12/accounts/${account.id}/funding_instruments`,
        `campaigns: 200 POST /12/batch/accounts/${account.id}/campaigns ${campaign.id}`,
        `line_item: 201 POST /12/accounts/${account.id}/line_items ${item.id}`,
        `deleted: 404 DELETE /12/accounts/${account.id}/campaigns/xyz`,
        `at: 400 GET /12/accounts/${account.id}`,
        `LINE_ITEM  ${item.id}`,
        '',
      ]);
      expect(readFileSync(place.path('.env'), 'utf8')).toBe(`OTHER=1\nLINE_ITEM=${item.id}\n`);
    });

    it('changes requests as the options say, and prints JSON', async () => {
      const { file, api, account } = await integrator();
      const path = written('f.json', [FUNDING, CAMPAIGN, { ...CAMPAIGN, name: 'other' }]);
      const { exitCode, stdout, stderr } = await marquee(
        ...['fixtures', path, '--credentials', file, '--json', '--skip', 'other'],
        ...['--override', 'campaign:name=Winter', '--remove', 'campaign:entity_status'],
        ...['--add', 'campaign:entity_status=ACTIVE', '--add', 'campaign:name=Spring'],
      );
      expect([exitCode, stderr]).toEqual([0, 'Skipped other.\n']);
      const { requests, env } = JSON.parse(stdout) as { requests: Json[]; env: object };
      expect(requests.map(({ name, status }) => [name, status])).toEqual([
        ['funding', 200],
        ['campaign', 201],
      ]);
      expect(requests[1].response.data).toMatchObject({ name: 'Winter', entity_status: 'ACTIVE' });
      expect(requests[1].request_id).toMatch(/^[\w-]{36}$/);
      expect(env).toEqual({});
      expect((await api.get(`/12/accounts/${account.id}/campaigns`)).body.data).toHaveLength(1);
    });

    it('ends at the first request that fails, and names it', async () => {
      const { file, account, api } = await integrator();
      const wrong = { ...CAMPAIGN, name: 'wrong', params: { ...CAMPAIGN.params, entity_status: 'ASLEEP' } };
      const path = written('f.json', [FUNDING, CAMPAIGN, wrong, { ...CAMPAIGN, name: 'later' }]);
      const { exitCode, stdout, stderr } = await marquee('fixtures', path, '--credentials', file, '--json');
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^error: request wrong: POST \S+\/campaigns returns 400: .*ASLEEP/);
      expect((JSON.parse(stdout) as { requests: Json[] }).requests.map(({ name, status }) => [name, status])).toEqual([
        ['funding', 200],
        ['campaign', 201],
        ['wrong', 400],
      ]);
      expect((await api.get(`/12/accounts/${account.id}/campaigns`)).body.data).toHaveLength(1);

      const expected = written('e.json', [{ ...FUNDING, expected_status: 404 }]);
      expect(await marquee('fixtures', expected, '--credentials', file)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(/^error: request funding: GET \S+ returns 200, not 404: /),
      });
      const missing = written('m.json', [
        { ...FUNDING },
        { ...CAMPAIGN, path: '/12/accounts/${funding:9.id}/campaigns' },
      ]);
      expect(await marquee('fixtures', missing, '--credentials', file)).toMatchObject({
        exitCode: 1,
        stderr: 'error: request campaign: ${funding:9.id} has no value: the answer of funding has no 9.id\n',
      });
      const none = { ...FUNDING, path: '/12/accounts/:account_id/line_items' };
      expect(await marquee('fixtures', written('n.json', [none, CAMPAIGN]), '--credentials', file)).toMatchObject({
        exitCode: 1,
        stderr: 'error: request campaign: ${funding:0.id} has no value: the answer of funding is an empty list\n',
      });
    });

    it('sends nothing if a reference cannot have a value', async () => {
      const { file, account, api } = await integrator();
      const path = written('f.json', {
        fixtures: [
          FUNDING,
          CAMPAIGN,
          { ...CAMPAIGN, name: 'one', path: '/12/accounts/${.env:NO_SUCH}/campaigns/${later:id}' },
          { ...CAMPAIGN, name: 'two', params: { a: '${.now:tomorrow}', b: '${.random:x}', c: '${nobody:id|x}' } },
          { ...CAMPAIGN, name: 'later', params: { a: '${nobody:id}', b: '${campaign:id}' } },
        ],
        env: { ID: '${none:id}' },
      });
      const { exitCode, stdout, stderr } = await marquee(
        ...['fixtures', path, '--credentials', file, '--skip', 'campaign'],
      );
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr.split('\n')).toEqual([
        'Skipped campaign.',
        'error: request one: ${.env:NO_SUCH}: NO_SUCH is not set',
        'request one: ${later:id}: the request later comes later',
        'request two: ${.now:tomorrow}: a time has the form +30d, +2h or -5m',
        'request two: ${.random:x}: a length is a number from 1 to 64',
        'request later: ${nobody:id}: there is no request nobody',
        'request later: ${campaign:id}: the request campaign is skipped',
        'env ID: ${none:id}: there is no request none',
        '',
      ]);
      expect((await api.get(`/12/accounts/${account.id}/campaigns`)).body.data).toEqual([]);
    });

    it('shows no character that acts on a terminal', async () => {
      const { file } = await integrator();
      const path = written('acting.json', [{ name: 'one', method: 'get', path: '/12/${.env:\u001b[31mRED}' }]);
      const { stderr } = await marquee('fixtures', path, '--credentials', file);
      expect(stderr).toBe('error: request one: ${.env:\\u001b[31mRED}: \\u001b[31mRED is not set\n');
    });

    it('names what is wrong with however many requests', async () => {
      const path = written('many.json', Array(150_000).fill({ name: 'one', method: 'get', path: '/12/accounts' }));
      const { stderr } = await marquee('fixtures', path);
      expect(stderr).toMatch(/fixtures\[149999\]\.name: "one": another request has it\n$/);
    });
  });

  describe('marquee logs', () => {
    /** A command that goes on, and what it has printed. */
    function following(argv: string[]): { child: ChildProcess; ended: Promise<Ended>; said: () => string } {
      const { child, ended } = place.run(argv);
      let said = '';
      for (const stream of [child.stderr!, child.stdout!])
        stream.on('data', (chunk: Buffer) => (said += String(chunk)));
      return { child, ended, said: () => said };
    }
    const until = async (is: () => boolean) => {
      while (!is()) await pause(50);
    };

    it('tail prints what arrives and matches, until it is interrupted', async () => {
      const { file, account, api } = await integrator();
      const campaigns = `/12/accounts/${account.id}/campaigns`;
      const before = await api.get(campaigns);
      const credentials = ['--credentials', file];
      const all = following(['logs', 'tail', ...credentials]);
      const filtered = following([
        ...['logs', 'tail', ...credentials, '--json', '--filter-status', '4xx', '--filter-method', 'post,get'],
        ...['--filter-path', `${campaigns}*`, '--filter-account', account.id],
      ]);
      await until(() => [all, filtered].every(({ said }) => said().includes('Waiting for requests.')));
      const answers = [
        await api.get(campaigns),
        await api.post(campaigns, { form: { name: 'x' } }),
        await api.delete(`${campaigns}/abc`),
        await api.get(`/12/accounts/${account.id}/line_items/abc`),
        await api.get(`${campaigns}/abc`),
      ];
      const ids = answers.map(({ headers }) => String(headers['x-request-id']));
      await until(() => ids.every((id) => all.said().includes(id)) && filtered.said().includes(ids[4]));
      for (const { child } of [all, filtered]) child.kill('SIGINT');
      const [lines, json] = (await Promise.all([all.ended, filtered.ended])).map(({ stdout }) =>
        stdout.trimEnd().split('\n'),
      );
      expect([all, filtered].map(({ child }) => child.signalCode)).toEqual(['SIGINT', 'SIGINT']);
      expect(lines).toHaveLength(5);
      expect(lines[1]).toMatch(
        new RegExp(String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ 400 POST ${campaigns} \([\d.]+ ms\) ${ids[1]}$`),
      );
      expect(lines.join()).not.toContain(String(before.headers['x-request-id']));
      expect(json.map((line) => JSON.parse(line))).toMatchObject([
        { method: 'POST', status: 400, path: campaigns, request_id: ids[1] },
        { method: 'GET', status: 404, path: `${campaigns}/abc`, request_id: ids[4] },
      ]);
    });

    it('conversions are sent, followed and shown with what became of them', async () => {
      const { file, account } = await integrator();
      const { id: tag } = await given.webEventTag({ account });
      const conversions = (...argv: string[]) => place.marquee(['conversions', ...argv, '--credentials', file]);
      const tail = following(['conversions', 'tail', account.id, '--credentials', file]);
      await until(() => tail.said().includes('Waiting for conversions.'));
      const options = [
        '--email',
        'ann@example.com',
        '--value',
        '20.00',
        '--currency',
        'EUR',
        '--conversion-id',
        'order-1',
      ];
      const sent = await conversions('send', account.id, tag, ...options, '--json');
      const { id, is_duplicate } = JSON.parse(sent.stdout);
      expect([sent.exitCode, is_duplicate]).toEqual([0, false]);
      const again = await conversions('send', account.id, tag, ...options);
      expect(again.stdout).toContain(`It is a duplicate of conversion ${id}, and is not counted.`);
      await until(() => tail.said().includes(id as string));
      tail.child.kill('SIGINT');
      const { stdout } = await tail.ended;
      expect(stdout).toMatch(new RegExp(String.raw`^\S+Z ${id} ${tag} 20 EUR \(unattributed\)\n$`));
      expect(stdout).not.toContain('ann@example.com');
      const shown = await conversions('show', account.id, id as string);
      expect(shown.stdout).toMatch(/^duplicates +1$/m);
      expect(shown.stdout).toMatch(/^state +UNATTRIBUTED$/m);
      const unknown = await conversions('show', account.id, 'zzz');
      expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('the service answers 404')]);
    });

    it('show prints a request, by either id', async () => {
      const { file, account, api } = await integrator();
      const answer = await api.get(`/12/accounts/${account.id}/campaigns`, { query: { count: 7 } });
      const id = String(answer.headers['x-request-id']);
      const show = (given: string, ...more: string[]) => place.marquee(['logs', 'show', given, '-c', file, ...more]);
      const line = await show(id, '--json');
      expect(line.stdout.split('\n')).toHaveLength(2);
      const detail = JSON.parse(line.stdout);
      expect(detail).toMatchObject({ request_id: id, status: 200, parameters: { count: '7' } });
      const pretty = await show(detail.id as string);
      expect(JSON.parse(pretty.stdout)).toEqual(detail);
      expect(pretty.stdout.split('\n').length).toBeGreaterThan(20);
      expect(await show('nothing')).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: 'error: the service answers 404: The journal of this application has no request nothing\n',
      });
    });

    it('export writes what creates the same resources in another account', async () => {
      const one = await integrator();
      const { api, account } = one;
      const base = `/12/accounts/${account.id}`;
      const { body: funding } = await api.get(`${base}/funding_instruments`);
      const created = async (path: string, sending: Parameters<Api['post']>[1]): Promise<Json> => {
        const { body, status } = await api.post(path, sending);
        expect([path, body.errors, status < 300]).toEqual([path, undefined, true]);
        return body.data;
      };
      const campaign = {
        funding_instrument_id: funding.data[0].id as string,
        daily_budget_amount_local_micro: 5_500_000,
        entity_status: 'PAUSED',
      };
      const first = await created(`${base}/campaigns`, { form: { ...campaign, name: 'It costs ${a:b}, really' } });
      const batch = await created(`/12/batch/accounts/${account.id}/campaigns`, {
        json: ['Two', 'Three'].map((name) => ({ operation_type: 'Create', params: { ...campaign, name } })),
      });
      const item = await created(`${base}/line_items`, {
        form: {
          campaign_id: (batch as unknown as Json[])[1].id as string,
          objective: 'ENGAGEMENTS',
          product_type: 'PROMOTED_POSTS',
          placements: ['PLATFORM_TIMELINE', 'PLATFORM_PROFILE'],
          start_time: '2035-01-01T00:00:00Z',
          end_time: '2035-02-01T00:00:00Z',
          name: 'Ünïcode & 😀',
          bid_amount_local_micro: 1_500_000,
          entity_status: 'PAUSED',
        },
      });
      await created(`/12/batch/accounts/${account.id}/targeting_criteria`, {
        json: [
          {
            operation_type: 'Create',
            params: { line_item_id: item.id as string, targeting_type: 'BROAD_KEYWORD', targeting_value: 'tea' },
          },
        ],
      });
      expect((await api.put(`${base}/campaigns/${first.id}`, { form: { name: 'Changed' } })).status).toBe(200);
      const gone = await created(`${base}/campaigns`, { form: { ...campaign, name: 'Gone' } });
      expect((await api.delete(`${base}/campaigns/${gone.id}`)).status).toBe(200);
      const post = await created(`${base}/post`, {
        form: { as_user_id: account.userId, text: 'Only once', nullcast: true },
      });
      await created(`${base}/promoted_posts`, {
        form: { line_item_id: item.id as string, post_ids: [post.id_str as string] },
      });
      // neither is a successful write
      await api.post(`${base}/campaigns`, { form: { name: 'No budget' } });
      await api.get(`${base}/campaigns`);
      // a body that is not kept, a file that is not kept, and what needs it
      const users = Array.from({ length: 400 }, (_, i) => ({ partner_user_id: [`user number ${i} of an audience`] }));
      const audience = await created(`${base}/custom_audiences`, { form: { name: 'People' } });
      const upload = { operation_type: 'Update', params: { users } };
      await created(`${base}/custom_audiences/${audience.id}/users`, { json: [upload] });

      const exported = await place.marquee(['logs', 'export', '-c', one.file]);
      expect(exported.exitCode).toBe(0);
      expect(exported.stderr.trimEnd().split('\n')).toEqual([
        `MARQUEE_ACCOUNT_ID stands for the account ${account.id}; by default it is account_id of the credentials.`,
        expect.stringMatching(
          new RegExp(
            `^Left out POST ${base}/custom_audiences/${audience.id}/users \\(\\w+\\): the journal does not keep bodies`,
          ),
        ),
      ]);
      for (const id of [
        account.id,
        first.id,
        item.id,
        gone.id,
        post.id_str,
        account.userId,
        campaign.funding_instrument_id,
      ])
        expect([id, exported.stdout.includes(id as string)]).toEqual([id, false]);

      const other = await integrator();
      const file = written('exported.json', exported.stdout);
      const run = await place.marquee(['fixtures', file, '--credentials', other.file]);
      expect(run).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await resourcesOf(other)).toEqual(await resourcesOf(one));
    });

    /** The resources of an account, with names in place of ids and without the times of their creation. */
    async function resourcesOf({ api, account }: Integrator): Promise<object> {
      const names = new Map<unknown, string>([
        [account.id, 'account'],
        [account.userId, 'owner'],
      ]);
      const found: Record<string, Json[]> = {};
      const paths = ['funding_instruments', 'campaigns', 'line_items', 'targeting_criteria', 'promoted_posts'];
      for (const path of paths) {
        const lineItems =
          path === 'targeting_criteria' ? { line_item_ids: found.line_items.map(({ id }) => id as string) } : {};
        const query = { with_deleted: true, sort_by: 'created_at-asc', ...lineItems };
        const { body } = await api.get(`/12/accounts/${account.id}/${path}`, { query });
        found[path] = body.data as Json[];
        for (const [i, { id }] of found[path].entries()) names.set(id, `${path} ${i}`);
      }
      for (const [i, { post_id }] of found.promoted_posts.entries()) names.set(post_id, `post ${i}`);
      const isTime = (name: string) => ['created_at', 'updated_at'].includes(name);
      const named = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(named);
        if (typeof value !== 'object' || value === null) return names.get(value) ?? value;
        return Object.fromEntries(
          Object.entries(value).flatMap(([name, inner]) => (isTime(name) ? [] : [[name, named(inner)]])),
        );
      };
      expect(found.campaigns).toHaveLength(4);
      expect(found.promoted_posts).toHaveLength(1);
      expect(found.targeting_criteria).toHaveLength(1);
      return named(found) as object;
    }

    it('export selects requests, and says when there are none', async () => {
      const { file, account, api } = await integrator();
      const nothing = { exitCode: 1, stdout: '', stderr: 'error: the journal has no successful write that matches\n' };
      expect(await place.marquee(['logs', 'export', '-c', file])).toEqual(nothing);
      const polls = `/12/accounts/${account.id}/cards/poll`;
      const form = { first_choice: 'a', second_choice: 'b', duration_in_minutes: 1440 };
      for (const name of ['One', 'Two', 'Three'])
        expect((await api.post(polls, { form: { ...form, name } })).status).toBe(201);
      const exported = async (...options: string[]) => {
        const { stdout, stderr } = await marquee('logs', 'export', '-c', file, ...options);
        const { fixtures } = JSON.parse(stdout) as { fixtures: Json[] };
        return [fixtures.map(({ params }) => params.name as string), stderr.split('\n').at(-2)];
      };
      const note = expect.stringMatching(/^MARQUEE_ACCOUNT_ID stands for/);
      expect(await exported('--filter-account', account.id)).toEqual([['One', 'Two', 'Three'], note]);
      expect(await exported('--since', '2026-01-01T00:00:00Z', '--filter-path', '*/poll')).toEqual([
        ['One', 'Two', 'Three'],
        note,
      ]);
      expect(await exported('--limit', '2')).toEqual([
        ['Two', 'Three'],
        'Only the newest 2 of 3 requests are exported; --since and filters select others.',
      ]);
      for (const option of [
        ['--since', '2099-01-01T00:00:00Z'],
        ['--filter-path', '*/campaigns'],
        ['--filter-account', 'x'],
      ])
        expect(await marquee('logs', 'export', '-c', file, ...option)).toEqual(nothing);
    });
  });

  describe('marquee webhook trigger', () => {
    it('knows every kind of event', () => {
      const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
      const schemas = document.components!.schemas as Record<string, Json>;
      const typesOf = (type: Json): string[] =>
        type.const ? [type.const] : (schemas[type.$ref.split('/').at(-1)].enum as string[]);
      const described = eventMediaOf(document).flatMap(([name, media]) => {
        const { $ref } = (media as { schema: { $ref: string } }).schema;
        const listed = schemas[$ref.split('/').at(-1)!].properties[name].items?.properties;
        if (!listed) return Object.keys(media.examples ?? {});
        return typesOf(listed.type).map((type) => `${String(listed.entity_type.const).toLowerCase()}.${type}`);
      });
      expect(eventKinds().sort()).toEqual([...new Set(described)].sort());
    });

    it('causes an event of each kind, or says why it cannot', async () => {
      const { file, application, api, account } = await integrator();
      for (let i = 0; i < 2; i++) await given.curatedCategory();
      const target = await receiver(application.consumer.secret);
      await given.webhook(application, target.url, null);
      const isOf = (kind: string) => (each: Received) => kindOfBody(each.event) === kind;
      const refused: string[] = [];
      for (const kind of eventKinds()) {
        const before = target.received.filter(isOf(kind)).length;
        const { exitCode, stdout, stderr } = await marquee('webhook', 'trigger', kind, '--credentials', file, '--json');
        if (stderr.startsWith(`error: no request causes ${kind}: `)) {
          refused.push(kind);
          continue;
        }
        expect([kind, exitCode, exitCode === 0 ? '' : stderr]).toEqual([kind, 0, '']);
        if (stderr !== '') {
          // what the service does later
          world().clock.advance(120_000);
          await world().get(ScheduledPostsJob).publishDue();
        }
        const [{ event }] = (await target.until(before + 1, isOf(kind))).slice(before);
        const answers = JSON.parse(stdout) as { requests: Json[] };
        expect(answers.requests.length).toBeGreaterThan(0);
        expect(event).not.toHaveProperty('test');
        // of an account of its own
        if (!/^(account|funding_instrument|tax_settings)\./.test(kind))
          expect([kind, event.for_account_id]).toEqual([kind, account.id]);
        // an account has at most one
        const [only] = /^(do_not_reach_list|app_event_provider_configuration)(?=\.create$)/.exec(kind) ?? [];
        if (only) await api.delete(`/12/accounts/${account.id}/${only}s/${answers.requests[0].response.data.id}`);
        world().clock.set(null);
      }
      expect(refused.sort()).toEqual([
        'account_app.create',
        'account_app.delete',
        'account_app.update',
        'account_media.update',
        'app_event_provider_configuration.update',
        'app_event_tag.update',
        'app_list.update',
        'do_not_reach_list.update',
        'funding_instrument.update',
        'media_creative.update',
        'promoted_account.update',
        'promoted_post.update',
        'replay_job_status',
        'scheduled_promoted_post.update',
        'targeting_criteria.update',
        'tax_settings.delete',
        'user_event.revoke',
        'webhook.disabled',
      ]);
    }, 300_000);

    it('sets parameters, and prints what it made', async () => {
      const { file, account, api } = await integrator();
      const { exitCode, stdout } = await place.marquee([
        ...['webhook', 'trigger', 'campaign.update', '-c', file],
        ...['--set', 'name=Winter', '--set', 'campaign:daily_budget_amount_local_micro=7000000'],
      ]);
      expect(exitCode).toBe(0);
      const [campaign] = (await api.get(`/12/accounts/${account.id}/campaigns`)).body.data as Json[];
      expect(campaign).toMatchObject({ name: 'Winter', daily_budget_amount_local_micro: 7_000_000 });
      expect(stdout.split('\n').slice(1)).toEqual([
        `campaign: 201 POST /12/accounts/${account.id}/campaigns ${campaign.id}`,
        `update: 200 PUT /12/accounts/${account.id}/campaigns/${campaign.id} ${campaign.id}`,
        '',
      ]);
      expect(await marquee('webhook', 'trigger', 'campaign.created', '-c', file)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('Did you mean campaign.create?'),
      });
      expect(await marquee('webhook', 'trigger', 'campaign.create', '--webhook', '1', '--set', 'name=x')).toMatchObject(
        {
          exitCode: 2,
          stderr: 'error: --set and --webhook cannot be combined\n',
        },
      );
    });
  });
});
