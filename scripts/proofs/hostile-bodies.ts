import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pairsOf } from '../../src/common/http/form-encoding.js';
import { demoOf } from './support/demo.js';
import { FORM_TYPE, HOSTILE_BODIES, type HostileBody, JSON_TYPE } from './support/hostile-bodies.js';
import { residentOf } from './support/memory.js';
import { freePort } from './support/ports.js';
import { probe, probedBy } from './support/probe.js';
import { Replica } from './support/replica.js';
import { type Answer, ask, signed } from './support/requests.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted } from './support/table.js';

const MOST_BLOCKED_MS = 50;
const MOST_LEFT_MIB = 100;
/** What blocks always is in every attempt; a pause that somebody else on the machine causes is not. */
const ATTEMPTS = 3;
const BURST = 64;
const SETTLING_MS = 60_000;
const MODES = ['unsigned', 'wrongly signed', 'signed'] as const;
const AGENT = new Agent({ keepAlive: true, maxSockets: BURST });

/**
 * What bodies at the size limit do to the process: whatever they are made of, nobody else waits longer than 50 ms for
 * them, they are answered without a 5xx, and the memory that they took comes back.
 */
export const prove = (): Promise<Figure[]> => withStage(onEmbedded);

async function onEmbedded(stage: Stage): Promise<Figure[]> {
  const data = join(stage.folder, 'data');
  const port = await freePort();
  const replica = new Replica(stage, port, { DATA_DIR: data, ...probedBy('event-loop-probe', stage.folder) });
  await replica.start();
  const { pen, account } = demoOf(data);
  const wrong = { ...pen, token: { ...pen.token, secret: `${pen.token.secret}x` } };
  const longestBlock = await probe(stage.folder, replica.pid);

  const send = ({ type }: HostileBody, body: string | Buffer, mode: (typeof MODES)[number]): Promise<Answer> => {
    const target = `/12${type === JSON_TYPE ? '/batch' : ''}/accounts/${account.id}/campaigns`;
    const params = type === FORM_TYPE ? pairsOf(body.toString()) : [];
    const { headers } = signed(`localhost:${port}`, mode === 'signed' ? pen : wrong, 'POST', target, undefined, params);
    if (mode === 'unsigned') delete headers.authorization;
    if (type !== undefined) headers['content-type'] = type;
    return ask(port, { method: 'POST', target, headers, body }, AGENT);
  };

  // what runs for the first time is compiled first
  for (const kind of HOSTILE_BODIES.slice(0, 8)) await send(kind, kind.make(), 'signed');
  for (let i = 0; i < 300; i++) await send({ ...HOSTILE_BODIES[0], type: FORM_TYPE }, 'name=x', 'signed');
  await pause(2_000);
  const before = residentOf(replica.pid);

  const longest = { blockedMs: 0, by: '' };
  const statuses: Record<string, number> = {};
  let faults = 0;
  const count = ({ status }: Answer) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    // a burst may be more than there is memory for; that is said as it should be
    if (status >= 500 && status !== 503) faults++;
  };
  for (const kind of HOSTILE_BODIES) {
    const body = kind.make();
    for (const mode of MODES) {
      let blockedMs = Infinity;
      for (let i = 0; i < ATTEMPTS && blockedMs > MOST_BLOCKED_MS / 2; i++) {
        await longestBlock();
        const answer = await send(kind, body, mode);
        count(answer);
        if (answer.status === 503) faults++;
        blockedMs = Math.min(blockedMs, await longestBlock());
      }
      if (blockedMs > MOST_BLOCKED_MS) console.log(`  ${kind.name}, ${mode}: blocked for ${blockedMs.toFixed(0)} ms`);
      if (blockedMs > longest.blockedMs) Object.assign(longest, { blockedMs, by: `${kind.name}, ${mode}` });
    }
  }

  let highest = 0;
  for (let round = 0; round < (settings.quick ? 1 : 5); round++) {
    const bodies = HOSTILE_BODIES.map((kind) => ({ kind, body: kind.make() }));
    const answers = Array.from({ length: BURST }, (_, i) => {
      const { kind, body } = bodies[(round * BURST + i) % bodies.length];
      return send(kind, body, i % 2 === 0 ? 'signed' : 'unsigned');
    });
    for (const answer of await Promise.all(answers)) count(answer);
    highest = Math.max(highest, residentOf(replica.pid));
  }
  let left = residentOf(replica.pid) - before;
  for (const end = performance.now() + SETTLING_MS; left > MOST_LEFT_MIB && performance.now() < end;) {
    await pause(1_000);
    left = residentOf(replica.pid) - before;
  }
  return [
    atLeast('kinds of bodies', HOSTILE_BODIES.length, 60),
    noted(
      'answers',
      Object.entries(statuses)
        .map(([status, n]) => `${n} x ${status}`)
        .join(', '),
    ),
    atMost('5xx, but for 503 when they come in bursts', faults, 0),
    atMost('longest block of the event loop', longest.blockedMs, MOST_BLOCKED_MS, 'ms'),
    noted('by', longest.by),
    noted('resident before, at most', `${before.toFixed(0)} MiB, ${highest.toFixed(0)} MiB`),
    atMost('resident after, above before', Math.max(0, left), MOST_LEFT_MIB, 'MiB'),
  ];
}
