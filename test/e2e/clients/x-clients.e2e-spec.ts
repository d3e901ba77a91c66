import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { useApp, world } from '../../support/app.js';
import { landscape } from '../creatives/pictures.js';
import { needsHostsOfX, ReadersFolder, SNIPPETS } from '../docs/snippets.js';
import { demoService } from '../names/demo-service.js';
import { CONFIGURATION, CERTIFICATES, HOSTS, HostsOfX, VARIABLES } from './hosts-of-x.js';
import { callsFor, type Made, type Sdk } from './sdk-requests.js';
import { PROGRAMS, sendAsPostman, Sender, type Wire } from './senders.js';

jest.setTimeout(120_000);

const ADS = 'https://ads-api.twitter.com';
const PACKAGES = 'test/e2e/clients/twitter-ads';

/** What each example has to print. Those of the proxy are run or started before all tests. */
const PRINTED: Record<string, RegExp | undefined> = {
  'A proxy with the hosts of X 1': undefined,
  'A proxy with the hosts of X 2': undefined,
  'A proxy with the hosts of X 3': undefined,
  'A proxy with the hosts of X 4': undefined,
  'twitter-api-v2 1':
    /^campaign \w{13} twitter-api-v2's\n(listed .+\n)+deleted true\ntweet \d+\nsandbox \w{13}\nmedia \d+\nmedia \d+\nsubtitles EN\n400 tweet_type\n$/,
  'twitter-api-v2 2':
    /^Open https:\/\/api\.x\.com\/oauth\/authorize\?oauth_token=[\w-]+\nPIN: acts for demo\nwebhook http.+\n$/,
  'twitter-ads for Node 1': /^campaign twitter-ads' \(50 %\)\ntweet \d+\nsandbox \w{13}\n$/,
};

// the demo and the processes that call it are about one service
useApp(VARIABLES, 1);

const folder = mkdtempSync(join(tmpdir(), 'marquee-x-'));
let service: Awaited<ReturnType<typeof demoService>>;
let hosts: HostsOfX;
let reader: ReadersFolder;
let readerOfOld: ReadersFolder;
let installation: Promise<string>;

beforeAll(async () => {
  installation = installOldPackages();
  [service] = await Promise.all([demoService(), HostsOfX.createCertificates(folder)]);
  hosts = await HostsOfX.start(service.port, folder);
  const started = { ...service, dataDir: world().config.dataDir };
  reader = new ReadersFolder(started);
  readerOfOld = new ReadersFolder(started, folder);
}, 60_000);
afterAll(async () => {
  await hosts?.close();
  for (const each of [reader, readerOfOld]) each?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Installs packages that are too old for this repository, from a lock file of their own; resolves to the error. */
async function installOldPackages(): Promise<string> {
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(PACKAGES, name), join(folder, name));
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  return promisify(execFile)('npm', args, { cwd: folder }).then(
    () => '',
    (error: Error) => error.message,
  );
}

describe('the page', () => {
  it('names the same hosts in the certificate, in nginx and in /etc/hosts', () => {
    const certified = [...CERTIFICATES.matchAll(/DNS:([\w.-]+)/g)].map(([, host]) => host);
    expect(/server_name (.*);/.exec(CONFIGURATION)![1].split(' ')).toEqual(certified);
    expect(HOSTS.trim().split(' ').slice(1)).toEqual(certified);
  });

  it('has something to expect of each example', () => {
    expect(SNIPPETS.filter(needsHostsOfX).map(({ name }) => name)).toEqual(Object.keys(PRINTED));
  });

  for (const snippet of SNIPPETS.filter(({ name }) => PRINTED[name])) {
    it(snippet.name, async () => {
      const needsOld = snippet.name.startsWith('twitter-ads');
      if (needsOld) expect(await installation).toBe('');
      const printed = await (needsOld ? readerOfOld : reader).carryOut(snippet, hosts.environment);
      expect(printed).toMatch(PRINTED[snippet.name]!);
    });
  }
});

interface Body {
  data: unknown;
  next_cursor?: string | null;
  errors?: { code: string; hint?: string }[];
}
const parsed = (text: string) => JSON.parse(text) as Body;
/** The keys and ids of the demo. */
const demo = (): Record<string, string> => {
  const { examples, ...others } = service.credentials() as Record<string, never>;
  return { ...others, ...(examples as object) };
};
const campaign = () => ({
  name: 'Tea & cake',
  funding_instrument_id: demo().funding_instrument_id,
  daily_budget_amount_local_micro: '5500000',
});

for (const sdk of ['python', 'ruby'] as Sdk[]) {
  const { program } = PROGRAMS[sdk];
  (program ? describe : describe.skip)(`the SDK for ${sdk}${program ? '' : ' (skipped: no OAuth library)'}`, () => {
    let sender: Sender;
    let made: Made;
    beforeAll(() => {
      made = { demo: demo(), objects: {} };
      sender = new Sender(sdk, made.demo, hosts.environment);
    });
    afterAll(() => sender?.close());

    const url = (path: string) =>
      path.startsWith('https:') ? path : `${ADS}/11/${path.replace(':account_id', made.demo.account_id)}`;

    for (const call of callsFor(sdk, landscape(600, 400, [120, randomBytes(1)[0], 60]))) {
      it(call.name, async () => {
        const { method, path, params, json, file } = call.ask(made, sdk);
        const wire: Wire = {
          method,
          url: url(path),
          params,
          ...(json !== undefined && {
            body: JSON.stringify(json),
            headers: { 'Content-Type': 'application/json' },
          }),
          ...(file && { file: file.toString('base64') }),
        };
        const { status, text } = await sender.send(wire);
        expect(status < 300 ? '' : `${status} ${text} to ${JSON.stringify(wire)}`).toBe('');
        const data = call.isBare ? parsed(text) : parsed(text).data;
        const [first] = (Array.isArray(data) ? data : [data]) as Record<string, never>[];
        expect(call.reads?.filter((name) => !(name in first)) ?? []).toEqual([]);
        if (call.keeps) made.objects[call.keeps] = first;
      });
    }

    it('Cursor, which sends the same parameters with each page', async () => {
      const params = { count: '1', sort_by: 'created_at-desc' };
      const ask = (more: object) =>
        sender.send({ method: 'GET', url: url('accounts/:account_id/campaigns'), params: { ...params, ...more } });
      const first = parsed((await ask({})).text);
      const second = parsed((await ask({ cursor: first.next_cursor })).text);
      const ids = [first, second].map(({ data }) => (data as { id: string }[]).map(({ id }) => id));
      expect(ids).toEqual([[expect.any(String)], [expect.any(String)]]);
      expect(ids[0]).not.toEqual(ids[1]);
    });
  });
}

(PROGRAMS.ruby.program ? describe : describe.skip)('twurl', () => {
  let sender: Sender;
  beforeAll(() => (sender = new Sender('ruby', demo(), hosts.environment)));
  afterAll(() => sender?.close());

  it('sends a form with every request, also an empty one', async () => {
    const campaigns = `${ADS}/12/accounts/${demo().account_id}/campaigns`;
    const made = await sender.send({ method: 'POST', url: campaigns, form: campaign() });
    const { id } = parsed(made.text).data as { id: string };
    const url = `${campaigns}/${id}`;
    const answers = [
      await sender.send({
        method: 'GET',
        url: campaigns,
        params: { campaign_ids: id, with_total_count: 'true' },
        form: {},
      }),
      await sender.send({ method: 'PUT', url, params: { name: "Cake (only), 'later'" }, form: {} }),
      await sender.send({ method: 'DELETE', url, form: {} }),
    ];
    expect([made, ...answers].map(({ status }) => status)).toEqual([201, 200, 200, 200]);
    expect(answers.map(({ text }) => parsed(text).data)).toMatchObject([
      [{ id }],
      { name: "Cake (only), 'later'" },
      { deleted: true },
    ]);
  });

  it('sends JSON with a header for its type', async () => {
    const url = `${ADS}/12/batch/accounts/${demo().account_id}/campaigns`;
    const body = JSON.stringify([{ operation_type: 'Create', params: campaign() }]);
    const { status, text } = await sender.send({
      method: 'POST',
      url,
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    expect([status, parsed(text).data]).toMatchObject([200, [{ name: 'Tea & cake' }]]);
  });
});

it("the script of X's Postman collection signs a read and a write", async () => {
  const url = `${ADS}/12/accounts/${demo().account_id}/campaigns`;
  const written = await sendAsPostman(demo(), hosts.agent, 'POST', url, campaign());
  const read = await sendAsPostman(demo(), hosts.agent, 'GET', url, { q: 'Tea & cake', count: '1' });
  expect([written.status, read.status]).toEqual([201, 200]);
  expect(parsed(read.text).data).toMatchObject([{ name: 'Tea & cake' }]);
});
