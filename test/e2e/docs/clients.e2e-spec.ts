import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Served } from './served.js';
import { able, needsHostsOfX, PAGE, ReadersFolder, RUNNERS, SNIPPETS } from './snippets.js';

jest.setTimeout(120_000);

const COLLECTION = 'docs/marquee.postman_collection.json';
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
  'Node 1': /^\w{13} From Node, renamed\n1 null\n$/,
  'Ruby 1': /^\w{13}\nFrom Ruby\n$/,
  'Postman 1': /^$/,
  'Upload a file 1': /"media_key": "3_\d+"/,
  'twitter-api-v2 without a proxy 1': /^tweet \d+\nsandbox \w{13}\n$/,
  'The names of X 1': /"tweet_type": "PUBLISHED"/,
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
  const written = [...PAGE.matchAll(/writeFileSync\('([^']+)'/g)].map(([, name]) => name);
  expect(written).toEqual(['marquee.postman_environment.json']);
  expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('*.postman_environment.json');
});

interface Execution {
  item: { name: string };
  request: { method: string; url: { path: string[] } };
  response?: { code: number };
}

(NEWMAN ? it : it.skip)(`the whole collection${NEWMAN ? '' : ' (skipped: no newman)'}`, async () => {
  const report = join(folder.path, 'report.json');
  const environment = 'marquee.postman_environment.json';
  await folder.run(NEWMAN!, ['run', COLLECTION, '-e', environment, '-r', 'json', '--reporter-json-export', report]);
  const { executions } = (JSON.parse(readFileSync(report, 'utf8')) as { run: { executions: Execution[] } }).run;
  const refused = executions
    .filter(({ response }) => !response || response.code >= 400)
    .map(({ request, response }) => `${response?.code} ${request.method} /${request.url.path.join('/')}`);
  expect(refused).toEqual([
    // an upload that is not under way
    '400 GET /1.1/media/upload',
    '400 GET /1.1/media/upload.json',
    // a replay that nobody asked for
    '404 GET /2/webhooks/replay/1224589883949641',
    // a request that nobody sent
    '404 GET /workbench/requests/03y0xrpr6dv6c',
    // what a person does with a request token that nobody asked for
    '403 GET /oauth/authenticate',
    '403 GET /oauth/authorize',
    // the token has ended under the other spelling of the path
    '401 POST /1.1/oauth/invalidate_token.json',
    '401 POST /oauth/access_token',
    '401 POST /oauth2/invalidate_token',
  ]);
  expect(executions.length).toBeGreaterThan(150);
});

it('every variable of the collection is one of the demo', () => {
  const { examples, ...demo } = served.credentials() as unknown as { examples: Record<string, string> };
  const known = [...Object.keys(demo), ...Object.keys(examples), '$timestamp'];
  // Those that scripts of the collection set.
  known.push('tomorrow', 'five_days_ago', 'first_minute', 'last_minute', 'bearer_token');
  const named = new Set([...readFileSync(COLLECTION, 'utf8').matchAll(/\{\{([^}]+)\}\}/g)].map(([, name]) => name));
  // Those of a flow are what a person brings.
  known.push('oauth_token', 'oauth_token_secret', 'oauth_verifier');
  expect([...named].filter((name) => !known.includes(name))).toEqual([]);
});
