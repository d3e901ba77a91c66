import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { jest } from '@jest/globals';
import { Visitor } from '../auth/visitor.js';
import { Served } from './served.js';

jest.setTimeout(120_000);

const PAGE = readFileSync('docs/clients.md', 'utf8');
const COLLECTION = 'docs/marquee.postman_collection.json';

/** The first of these programs that can do what is asked of it. */
const able = (programs: string[], ...args: string[]) =>
  programs.find((program) => spawnSync(program, args).status === 0);

/** What runs the snippets of a language, as a file; undefined where it is not installed. */
const RUNNERS: Record<string, { program?: string; args?: string[]; file: string }> = {
  sh: { program: 'sh', args: ['-e'], file: 'snippet.sh' },
  js: { program: process.execPath, file: 'snippet.mjs' },
  python: {
    program: able(['python3', '/usr/bin/python3'], '-c', 'import requests_oauthlib'),
    file: 'snippet.py',
  },
  ruby: { program: able(['ruby'], '-e', "require 'oauth'"), file: 'snippet.rb' },
};
const NEWMAN = able(['newman'], '--version');

/** The fenced blocks of the page, in its order, with the heading that they stand below. */
const snippets = PAGE.split(/^## /m).flatMap((section) => {
  const title = section.split('\n', 1)[0];
  return [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text], i) => ({
    name: `${title} ${i + 1}`,
    language,
    text,
  }));
});

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
  'The names of X 1': /"tweet_type": "PUBLISHED"/,
  'Retry without acting twice 1': /"name": "Autumn"/,
};

let served: Served;
/** As the folder of the service is for a reader of the page. */
const folder = mkdtempSync(join(tmpdir(), 'marquee-clients-'));
beforeAll(async () => {
  served = await Served.start();
  symlinkSync(served.dataDir, join(folder, 'data'));
  for (const name of ['package.json', 'bin', 'node_modules', 'docs']) symlinkSync(resolve(name), join(folder, name));
}, 180_000);
afterAll(async () => {
  await Promise.all(Served.all.map((each) => each.stop()));
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

/** Runs a program in that folder; `answer` is given what it printed so far, and may write a line to it. */
function run(program: string, args: string[], answer?: (printed: string) => Promise<string> | undefined) {
  const { PATH = '', HOME = '' } = process.env;
  const options = {
    cwd: folder,
    env: { PATH, HOME, npm_config_update_notifier: 'false' },
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise<{ status: number; stdout: string; stderr: string }>((done, fail) => {
    const child = execFile(program, args, options, (error, stdout, stderr) =>
      done({ status: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
    let printed = '';
    let answered = false;
    child.stdout!.on('data', (chunk) => {
      const line = answered ? undefined : answer?.((printed += String(chunk)));
      if (!line) return;
      answered = true;
      line.then((text) => child.stdin!.end(`${text}\n`), fail);
    });
  });
}

/** What a person does with the URL that a snippet prints: signs in, approves, and reads the PIN. */
function approved(printed: string): Promise<string> | undefined {
  const token = /^Open \S+oauth_token=([\w-]+)\n/m.exec(printed)?.[1];
  if (!token) return undefined;
  const { username, password } = served.credentials();
  return new Visitor({}, served.url)
    .signIn(username, password)
    .then((visitor) => visitor.decide(token))
    .then(({ pin }) => pin);
}

it('has snippets in every language that it promises, and something to expect of each', () => {
  expect(snippets.map(({ name }) => name)).toEqual(Object.keys(PRINTED));
  expect(new Set(snippets.map(({ language }) => language))).toEqual(new Set(Object.keys(RUNNERS)));
});

for (const { name, language, text } of snippets) {
  const { program, args = [], file } = RUNNERS[language];
  (program ? it : it.skip)(`${name}${program ? '' : ` (skipped: no ${language})`}`, async () => {
    writeFileSync(join(folder, file), text.replaceAll('http://localhost:3000', served.url));
    const { stdout, stderr, status } = await run(program!, [...args, file], approved);
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(PRINTED[name]);
  });
}

it('both names of this machine work, and a request signed for the other one is refused with the reason', async () => {
  const { port } = new URL(served.url);
  const [local, numeric] = [`localhost:${port}`, `127.0.0.1:${port}`];
  const dryRun = async (host: string) => {
    const { stdout } = await run(process.execPath, [
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
  const report = join(folder, 'report.json');
  const environment = 'marquee.postman_environment.json';
  await run(NEWMAN!, ['run', COLLECTION, '-e', environment, '-r', 'json', '--reporter-json-export', report]);
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
