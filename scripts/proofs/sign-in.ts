import { join } from 'node:path';
import { percentile } from '../../bench/statistics.js';
import { UsersService } from '../../src/auth/credentials/users.service.js';
import { readConfig } from '../../src/config/config.js';
import { openService } from '../../src/service.js';
import { Browser } from './support/browser.js';
import { demoOf } from './support/demo.js';
import { freePort } from './support/ports.js';
import { Replica } from './support/replica.js';
import { ask, signed } from './support/requests.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted, worded } from './support/table.js';

const MAX_APART_MS = 3;
const IN_FLIGHT = 50;
const MAX_MS = 250;

/** Signing in tells nobody which usernames exist, and a flood of sign-ins does not slow programs down. */
export async function prove(): Promise<Figure[]> {
  const told = await withStage(toldApart);
  const flood = await withStage(flooded);
  return [
    ...told.map((figure) => ({ ...figure, part: 'names' })),
    ...flood.map((figure) => ({ ...figure, part: 'flood' })),
  ];
}

/** Wrong passwords for names that exist and for names that do not, in turns, each from an address of its own. */
async function toldApart(stage: Stage): Promise<Figure[]> {
  const each = settings.quick ? 40 : 200;
  const nameOf = (i: number) => `person_${String(i).padStart(4, '0')}`;
  const folder = join(stage.folder, 'data');
  const service = await openService(readConfig({ DATA_DIR: folder, DEMO: 'false', LOG_LEVEL: 'error' }));
  for (let i = 0; i < each; i++) await service.app.get(UsersService).create(nameOf(i), { password: 'a password' });
  await service.close();
  const { port } = await started(stage, folder);

  const times: Record<string, number[]> = { known: [], unknown: [] };
  const answers = new Set<string>();
  for (let i = 0; i < 20; i++) await signIn(port, `10.9.9.${i}`, `somebody_${i}`);
  for (let i = 0; i < each; i++) {
    const pair = [
      ['known', nameOf(i)],
      ['unknown', nameOf(i).replace('person', 'nobody')],
    ];
    for (const [kind, name] of i % 2 === 0 ? pair : pair.reverse()) {
      const { ms, shown } = await signIn(port, `10.${kind === 'known' ? 1 : 2}.0.${i + 1}`, name);
      times[kind].push(ms);
      answers.add(shown);
    }
  }
  const [known, unknown] = [percentile(times.known, 0.5), percentile(times.unknown, 0.5)];
  return [
    noted('median for known and unknown names', `${worded(known)}, ${worded(unknown, 'ms')}`),
    atMost('medians apart', Math.abs(known - unknown), MAX_APART_MS, 'ms'),
    atMost('different answers', answers.size, 1),
  ];
}

/** Signed reads while very many people try passwords. */
async function flooded(stage: Stage): Promise<Figure[]> {
  const folder = join(stage.folder, 'data');
  const { port } = await started(stage, folder);
  const { pen, account } = demoOf(folder);
  const reads = async (seconds: number) => {
    const times: number[] = [];
    for (const end = performance.now() + seconds * 1_000; performance.now() < end;) {
      const began = performance.now();
      const request = signed(`localhost:${port}`, pen, 'GET', `/12/accounts/${account.id}/campaigns`);
      const { status } = await ask(port, request);
      if (status !== 200) throw new Error(`a read was answered ${status}`);
      times.push(performance.now() - began);
    }
    return times;
  };
  const quiet = await reads(3);
  let flooding = true;
  let tried = 0;
  const flood = Array.from({ length: IN_FLIGHT }, async (_, i) => {
    for (let round = 0; flooding; round++, tried++)
      await signIn(port, `10.${i}.${round >> 8}.${round & 255}`, `nobody_${i}_${round}`);
  });
  const times = await reads(settings.quick ? 3 : 10);
  flooding = false;
  await Promise.all(flood);
  return [
    noted('reads alone, median and p99', `${worded(percentile(quiet, 0.5))}, ${worded(percentile(quiet, 0.99), 'ms')}`),
    atLeast('sign-ins meanwhile', tried, 1),
    noted('reads, median', worded(percentile(times, 0.5), 'ms')),
    atMost(`reads beside ${IN_FLIGHT} sign-ins in flight, p99`, percentile(times, 0.99), MAX_MS, 'ms'),
  ];
}

async function started(stage: Stage, folder: string): Promise<Replica> {
  const replica = new Replica(stage, await freePort(), { DATA_DIR: folder, TRUST_PROXY: '127.0.0.1' });
  await replica.start();
  return replica;
}

/** Opens the page and sends its form with a wrong password; what is shown is without what differs each time. */
async function signIn(port: number, address: string, username: string): Promise<{ ms: number; shown: string }> {
  const browser = new Browser(port, `localhost:${port}`, { 'x-forwarded-for': address });
  await browser.open('/oauth/sign_in');
  const { csrf } = browser;
  const began = performance.now();
  const { status, headers, body } = await browser.send('/oauth/sign_in', { username, password: 'wrong' });
  const ms = performance.now() - began;
  const names = Object.keys(headers).sort().join(' ');
  return { ms, shown: `${status} ${names} ${body.replaceAll(csrf, '').replaceAll(username, '')}` };
}
