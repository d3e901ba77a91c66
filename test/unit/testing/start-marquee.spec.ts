import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { runInThisContext } from 'node:vm';
import { startMarquee } from '@marquee/testing';

/** What stands for the service: it answers, and its credentials tell where and what it is. */
const SERVICE = `
  import { writeFileSync } from 'node:fs';
  import { createServer } from 'node:http';
  import { stopWithStdin } from '${resolve('bin/stop-with-stdin.mjs')}';

  const { PORT, BASE_URL, DATA_DIR, STUBBORN } = process.env;
  stopWithStdin();
  if (STUBBORN) process.on('SIGTERM', () => undefined);
  writeFileSync(DATA_DIR + '/demo-credentials.json', JSON.stringify({ url: BASE_URL, folder: DATA_DIR, pid: process.pid }));
  createServer((_, response) => response.end('{}')).listen(Number(PORT), '127.0.0.1');
`;

interface Started {
  url: string;
  folder: string;
  pid: number;
}

let folder: string;
let command: string[];
let started: Started | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'marquee-start-'));
  writeFileSync(join(folder, 'service.mjs'), SERVICE);
  command = [process.execPath, join(folder, 'service.mjs')];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  if (started && (await answers(started))) process.kill(started.pid, 'SIGKILL');
  if (started) rmSync(started.folder, { recursive: true, force: true });
});

const answers = ({ url }: Started): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** Starts a service in a process, which then runs a script. */
async function startIn(script: string, env: Record<string, string> = {}): Promise<Started> {
  const source = `
    import { startMarquee } from '${resolve('packages/testing/index.js')}';
    const marquee = await startMarquee({ command: ${JSON.stringify(command)}, env: ${JSON.stringify(env)} });
    console.log(JSON.stringify(marquee.credentials));
    ${script}
  `;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', source], {
    timeout: 30_000,
  });
  const { stdout } = await run.catch((ended: { stdout: string }) => ended);
  return (started = JSON.parse(stdout) as Started);
}

async function expectEnded(service: Started): Promise<void> {
  for (const until = Date.now() + 10_000; Date.now() < until && (await answers(service));) await pause(50);
  expect(await answers(service)).toBe(false);
}

it('leaves neither a service nor its data when the process exits early', async () => {
  const service = await startIn('process.exit(1);');
  await expectEnded(service);
  expect(existsSync(service.folder)).toBe(false);
});

it('leaves no service when the process is killed', async () => {
  await expectEnded(await startIn(`process.kill(process.pid, 'SIGKILL');`));
});

it('kills a service that does not stop', async () => {
  const hurry = `
    const timers = await import('node:timers/promises');
    const { syncBuiltinESMExports } = await import('node:module');
    const pause = timers.default.setTimeout;
    timers.default.setTimeout = (ms, ...rest) => pause(ms / 100, ...rest);
    syncBuiltinESMExports();
  `;
  const service = await startIn(`${hurry} await marquee.stop();`, { STUBBORN: 'true' });
  await expectEnded(service);
  expect(existsSync(service.folder)).toBe(false);
});

it('listens to the exit of the process of Node, of which Jest gives tests a copy', async () => {
  const nodeProcess = runInThisContext('process') as NodeJS.Process;
  const listening = () => nodeProcess.listeners('exit') as (() => void)[];
  const before = listening();
  const marquee = await startMarquee({ command });
  started = marquee.credentials as unknown as Started;
  const [endAll] = listening().filter((each) => !before.includes(each));
  endAll();
  await expectEnded(started);
  expect(existsSync(started.folder)).toBe(false);
  await marquee.stop();
  expect(listening()).toEqual(before);
});
