import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endChild, lives } from './support/child.js';
import { hintsIn, MISTAKES, unsaid, type Place } from './support/mistakes.js';
import { MAIN, ROOT } from './support/paths.js';
import { freePort } from './support/ports.js';
import { isReady } from './support/ready.js';
import { ask } from './support/requests.js';
import { type Stage, withStage } from './support/stage.js';
import { atMost, type Figure } from './support/table.js';

const PATIENCE_MS = 60_000;

/** The first hour of somebody who has just started it, with every mistake that is often made in it. */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const folder = join(stage.folder, 'data');
    const taken = await takenPort(stage);
    const refused = start(stage, folder, taken);
    const [exitCode] = (await once(refused.child, 'exit')) as [number];
    const port = await freePort();
    const service = start(stage, folder, port);
    await untilReady(service.child, port, service);
    const credentials = JSON.parse(readFileSync(join(folder, 'demo-credentials.json'), 'utf8')) as Record<
      string,
      string
    >;
    const url = `http://localhost:${port}`;
    const figures = [
      kept('a port that is taken', refused.printed(), exitCode === 1 && refused.printed().includes(`${taken}`)),
      kept('and the stack', refused.printed(), !/\n\s+at /.test(refused.printed())),
      kept('another port, in the banner', url, service.printed().includes(`${url}/12/accounts`)),
      kept('another port, in the credentials', credentials.ads_base_url, credentials.ads_base_url === url),
    ];
    const place = await placeOf(folder, port, credentials);
    return [...figures, ...(await mistakesIn(place))];
  });
}

/** Makes every mistake and prints what it is told. */
async function mistakesIn(place: Place): Promise<Figure[]> {
  const width = Math.max(...MISTAKES.map(({ name }) => name.length));
  let [others, unsaidOnes] = [0, 0];
  for (const mistake of MISTAKES) {
    const answer = await mistake.make(place);
    const [hint = ''] = hintsIn(answer, mistake);
    const left = unsaid(hint, mistake, place);
    if (answer.status !== mistake.status) others++;
    if (left.length > 0) unsaidOnes++;
    console.log(`  ${mistake.name.padEnd(width)}  ${answer.status}  ${hint || '(nothing)'}`);
    if (left.length > 0) console.log(`  ${''.padEnd(width)}  FAILED: it does not say ${left.join(', ')}`);
  }
  return [
    { name: 'mistakes made', measured: `${MISTAKES.length}`, promise: '', ok: true },
    atMost('answered with another status', others, 0),
    atMost('sentences without what they have to name', unsaidOnes, 0),
  ];
}

const kept = (name: string, measured: string, ok: boolean): Figure => ({
  name,
  measured: measured.trim().split('\n').at(-1) ?? '',
  promise: 'is said plainly',
  ok,
});

interface Started {
  child: ChildProcess;
  printed: () => string;
}

/** `npm start` without npm: all that is set is the port. */
function start(stage: Stage, folder: string, port: number): Started {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, PORT: `${port}`, DATA_DIR: folder, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stage.owns(child, 'SIGKILL');
  stage.atEnd(() => endChild(child, 'SIGTERM'));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, printed: () => text };
}

async function untilReady(child: ChildProcess, port: number, { printed }: Started): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(50)) {
    if (!lives(child)) throw new Error(`the service ended: ${printed()}`);
    if ((await isReady(port)) && printed().includes('Marquee is ready.')) return;
  }
  throw new Error('the service does not get ready');
}

/** A port that somebody else listens on. */
async function takenPort(stage: Stage): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atEnd(() => server.close());
  return (server.address() as { port: number }).port;
}

async function placeOf(folder: string, port: number, demo: Record<string, string>): Promise<Place> {
  const basic = Buffer.from(`${demo.consumer_key}:${demo.consumer_secret}`).toString('base64');
  const host = `localhost:${port}`;
  const bearer = await ask(port, {
    method: 'POST',
    target: '/oauth2/token',
    headers: { host, authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  const command = ['app', 'create', '--name', 'Another', '--owner', demo.username, '--json'];
  const another = execFileSync(process.execPath, [join(ROOT, 'bin/marquee.mjs'), ...command], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: `${port}` },
    encoding: 'utf8',
  });
  const { consumer_key: key, consumer_secret: secret } = JSON.parse(another) as Record<string, string>;
  return {
    async send(method, target, headers, body) {
      const { body: text, ...rest } = await ask(port, { method, target, headers: { host, ...headers }, body });
      return { ...rest, text };
    },
    signedFor: `http://${host}`,
    urls: { BASE: demo.base_url, ADS: demo.ads_base_url, SANDBOX: demo.ads_sandbox_base_url },
    now: () => Math.floor(Date.now() / 1_000),
    credentials: {
      consumer: { key: demo.consumer_key, secret: demo.consumer_secret },
      token: { key: demo.access_token, secret: demo.access_token_secret },
    },
    stranger: { key, secret },
    bearer: (JSON.parse(bearer.body) as { access_token: string }).access_token,
    accountId: demo.account_id,
    sandboxAccountId: demo.sandbox_account_id,
    fundingId: demo.funding_instrument_id,
  };
}
