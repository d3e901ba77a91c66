import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { RESULTS } from '../../../src/operations/docs/postman-scripts.js';
import { Served } from './served.js';
import { able, needsHostsOfX, PAGE, ReadersFolder, RUNNERS, SNIPPETS } from './snippets.js';

jest.setTimeout(120_000);

const COLLECTION = 'docs/marquee.postman_collection.json';
const COLLECTION_OF_X = 'docs/marquee.x.postman_collection.json';
const NEWMAN = able(['newman'], '--version');

/** The others are in clients/x-clients. */
const snippets = SNIPPETS.filter((snippet) => !needsHostsOfX(snippet));

/** What each of them has to print. */
const PRINTED: Record<string, RegExp> = {
  'curl 1': /"total_count"|"data": \[/,
  'curl 2': /"data":\[\{"id":/,
  'curl 3': /^GET&http/m,
  'curl 4': /"request":\{"params":\{"count":2\}\}/,
  'Python 1': /^made \w{13}\n(\w{13} .+\n)+budget 6000000\n400 .*1000/,
  'Python 2': /acts for demo\n$/,
  'A generated client 1': /^made \w{13}\nbudget 6000000\n$/,
  'Node 1': /^\w{13} From Node, renamed\n1 null\n$/,
  'Ruby 1': /^\w{13}\nFrom Ruby\n$/,
  'Postman 1': /^Postman can import marquee\.postman_environment\.json/,
  'Upload a file 1': /"media_key": "3_\d+"/,
  'twitter-api-v2 without a proxy 1': /^tweet \d+\nsandbox \w{13}\n$/,
  'The names of X 1': /"tweet_type": "PUBLISHED"/,
  'The dates of X 1': /"budget_optimization": "LINE_ITEM"/,
  'Retry without acting twice 1': /"name": "Autumn"/,
};

let served: Served;
let folder: ReadersFolder;
beforeAll(async () => {
  served = await Served.start();
  folder = new ReadersFolder(served);
}, 180_000);
afterAll(async () => {
  await Promise.all(Served.all.map((each) => each.stop()));
  folder?.remove();
}, 30_000);

it('has snippets in every language that it promises, and something to expect of each', () => {
  expect(snippets.map(({ name }) => name)).toEqual(Object.keys(PRINTED));
  expect(new Set(snippets.map(({ language }) => language))).toEqual(new Set(Object.keys(RUNNERS)));
});

for (const snippet of snippets) {
  const { name, language } = snippet;
  const { program } = RUNNERS[language];
  (program ? it : it.skip)(`${name}${program ? '' : ` (skipped: no ${language})`}`, async () => {
    expect(await folder.carryOut(snippet)).toMatch(PRINTED[name]);
  });
}

it('the commands of docs/webhooks.md register a webhook, subscribe it and delete it, as often as they are repeated', async () => {
  const [, text] = /^```sh\n(.*?)^```$/ms.exec(readFileSync('docs/webhooks.md', 'utf8'))!;
  for (let times = 0; times < 2; times++)
    expect(await folder.carryOut({ chapter: '', name: 'webhooks', language: 'sh', text })).toMatch(
      /"account_id":null,.*"active":true.*"deleted":true/s,
    );
});

it('both names of this machine work, and a request signed for the other one is refused with the reason', async () => {
  const { port } = new URL(served.url);
  const [local, numeric] = [`localhost:${port}`, `127.0.0.1:${port}`];
  const dryRun = async (host: string) => {
    const { stdout } = await folder.run(process.execPath, [
      'bin/marquee.mjs',
      'request',
      'GET',
      `http://${host}/12/accounts`,
      '--dry-run',
    ]);
    return /^authorization: (.*)$/m.exec(stdout)![1];
  };
  const ask = async (signedFor: string, sentTo: string) =>
    fetch(`http://${sentTo}/12/accounts`, { headers: { authorization: await dryRun(signedFor) } });
  expect((await ask(local, local)).status).toBe(200);
  expect((await ask(numeric, numeric)).status).toBe(200);
  const refused = await ask(local, numeric);
  expect([refused.status, await refused.text()]).toEqual([
    401,
    expect.stringContaining('the host localhost was signed'),
  ]);
});

it('the recipe for Node and the environment for Postman change no tracked file', () => {
  const installs = [...PAGE.matchAll(/npm (?:install|i) [^`\n]*/g)].map(([command]) => command);
  expect(installs.length).toBeGreaterThan(0);
  for (const command of installs) expect(command).toContain('--no-save');
  expect(statSync(join(folder.path, 'marquee.postman_environment.json')).mode & 0o777).toBe(0o600);
  expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('*.postman_environment.json');
});

interface PostmanAuth {
  oauth2?: { key: string; value: unknown }[];
}

interface Report {
  run: {
    stats: { requests: { total: number }; assertions: { total: number } };
    failures: { error: { message: string }; source?: { request: { method: string; url: { path: string[] } } } }[];
  };
}

/** Runs a collection with the environment of a service; returns the requests that failed. */
async function failuresOf(collection: string, { dataDir, port }: Served): Promise<string[]> {
  const report = join(folder.path, 'report.json');
  const environment = join(folder.path, 'run.postman_environment.json');
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(port) };
  execFileSync(process.execPath, ['bin/marquee.mjs', 'postman', environment], { env });
  const ran = await folder.run(NEWMAN!, [
    'run',
    collection,
    '-e',
    environment,
    '-r',
    'json',
    '--reporter-json-export',
    report,
  ]);
  const { stats, failures } = (JSON.parse(readFileSync(report, 'utf8')) as Report).run;
  expect(stats.assertions.total).toBeGreaterThan(150);
  expect(ran.status === 0).toBe(failures.length === 0);
  return failures.map(
    ({ error, source }) => `${source?.request.method} /${source?.request.url.path.join('/')}: ${error.message}`,
  );
}

(NEWMAN ? it : it.skip)(`the whole collection${NEWMAN ? '' : ' (skipped: no newman)'}`, async () => {
  expect(await failuresOf(COLLECTION, served)).toEqual([]);
});

(NEWMAN ? it : it.skip)("the whole collection with X's names", async () => {
  const other = await Served.start({ NAMES: 'x' });
  expect(await failuresOf(COLLECTION_OF_X, other)).toEqual([]);
});

describe('the folder of the collection by OAuth 2.0', () => {
  const FOLDER = 'Signed in with OAuth 2.0';

  it('signs in on the page, with PKCE and a callback of the demo', () => {
    const { item } = JSON.parse(readFileSync(COLLECTION, 'utf8')) as { item: { name: string; auth?: PostmanAuth }[] };
    const settings = item.find(({ name }) => name === FOLDER)!.auth!.oauth2!;
    const valueOf = Object.fromEntries(settings.map(({ key, value }) => [key, value]));
    expect(valueOf).toMatchObject({
      grant_type: 'authorization_code_with_pkce',
      authUrl: '{{base_url}}/i/oauth2/authorize',
      accessTokenUrl: '{{base_url}}/2/oauth2/token',
      redirect_uri: 'http://127.0.0.1/callback',
      challengeAlgorithm: 'S256',
      accessToken: '{{oauth2_access_token}}',
    });
  });

  (NEWMAN ? it : it.skip)('sends the token of a variable, and nothing without one', async () => {
    const { dataDir, port } = served;
    const environment = join(folder.path, 'oauth2.postman_environment.json');
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(port) };
    const marquee = (...argv: string[]) => execFileSync(process.execPath, ['bin/marquee.mjs', ...argv], { env });
    marquee('postman', environment);
    const { username, consumer_key } = served.credentials();
    const issue = ['token', 'issue', '--user', username, '--app', consumer_key, '--scope', 'ads.read', '--json'];
    const { access_token: token } = JSON.parse(String(marquee(...issue))) as { access_token: string };
    const run = async (...more: string[]) => {
      const report = join(folder.path, 'oauth2.json');
      const options = ['-e', environment, '--folder', FOLDER, '-r', 'json', '--reporter-json-export', report];
      await folder.run(NEWMAN!, ['run', COLLECTION, ...options, ...more]);
      return (JSON.parse(readFileSync(report, 'utf8')) as Report).run;
    };
    const signedIn = await run('--env-var', `oauth2_access_token=${token}`);
    expect([signedIn.failures, signedIn.stats.assertions.total]).toEqual([[], 3]);
    const wrong = await run('--env-var', 'oauth2_access_token=wrong');
    expect(wrong.failures).toHaveLength(3);
    const signedOut = await run();
    expect([signedOut.failures, signedOut.stats.assertions.total]).toEqual([[], 0]);
  });
});

it('every variable of the collections is one of the demo', () => {
  const { examples, ...demo } = served.credentials() as unknown as { examples: Record<string, string> };
  const known = [...Object.keys(demo), ...Object.keys(examples), '$timestamp'];
  // Those that scripts of the collection set.
  known.push('tomorrow', 'five_days_ago', 'first_minute', 'last_minute', 'first_day', 'last_day', 'bearer_token');
  const both = readFileSync(COLLECTION, 'utf8') + readFileSync(COLLECTION_OF_X, 'utf8');
  const named = new Set([...both.matchAll(/\{\{([^}]+)\}\}/g)].map(([, name]) => name));
  // Those of a flow are what a person brings or the demo hands out.
  known.push('oauth_token', 'oauth_token_secret', 'oauth_verifier');
  // That of a sign-in.
  known.push('oauth2_access_token');
  // Results of requests.
  known.push(...Object.values(RESULTS).flatMap((results) => Object.keys(results)));
  expect([...named].filter((name) => !known.includes(name))).toEqual([]);
});
