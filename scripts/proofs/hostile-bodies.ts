import { execFileSync } from 'node:child_process';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pairsOf } from '../../src/common/http/bodies/form-encoding.js';
import { demoOf } from './support/demo.js';
import { FORM_TYPE, HOSTILE_BODIES, type HostileBody, JSON_TYPE, LARGE_BATCHES } from './support/hostile-bodies.js';
import { residentOf } from './support/memory.js';
import { ROOT } from './support/paths.js';
import { freePort } from './support/ports.js';
import { Postgres } from './support/postgres.js';
import { probe, probedBy } from './support/probe.js';
import { Replica } from './support/replica.js';
import { type Answer, ask, signed } from './support/requests.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';

const MAX_BLOCKED_MS = 50;
const MAX_RETAINED_MIB = 100;
/** What blocks always is in every attempt; a pause that somebody else on the machine causes is not. */
const ATTEMPTS = 3;
const BURST = 64;
const SETTLING_MS = 60_000;
const MODES = ['unsigned', 'wrongly signed', 'signed'] as const;
const AGENT = new Agent({ keepAlive: true, maxSockets: BURST });

/**
 * What bodies at the size limit do to the process: whatever they are made of, nobody else waits longer than 50 ms for
 * them, they are answered without a 5xx, and the memory that they took comes back. Batches that store much are sent to a
 * service on a PostgreSQL server: the embedded store runs its statements in the process, and everybody waits for them.
 */
export async function prove(): Promise<Figure[]> {
  const embedded = await withStage((stage) => withBodies(stage, HOSTILE_BODIES, {}));
  const server = await withStage(async (stage) => {
    const { url } = await Postgres.start(stage);
    execFileSync(process.execPath, [join(ROOT, 'bin/marquee.mjs'), 'migrate'], {
      env: { PATH: process.env.PATH, DATABASE_URL: url },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return withBodies(stage, LARGE_BATCHES, { DATABASE_URL: url, DEMO: 'true' });
  });
  return [
    ...embedded.map((figure) => ({ ...figure, part: 'embedded store' })),
    ...server.map((figure) => ({ ...figure, part: 'large batches on PostgreSQL' })),
  ];
}

async function withBodies(
  stage: Stage,
  kinds: readonly HostileBody[],
  store: Record<string, string>,
): Promise<Figure[]> {
  const isLarge = kinds === LARGE_BATCHES;
  const data = join(stage.folder, 'data');
  const port = await freePort();
  const probes = probedBy('event-loop-probe', stage.folder);
  const replica = new Replica(stage, port, { DATA_DIR: data, ...store, ...probes });
  await replica.start();
  const { pen, account, examples } = demoOf(data);
  const wrong = { ...pen, token: { ...pen.token, secret: `${pen.token.secret}x` } };
  const longestBlock = await probe(stage.folder, replica.pid);

  const send = ({ type, path }: HostileBody, body: string | Buffer, mode: (typeof MODES)[number]): Promise<Answer> => {
    const campaigns = `${type === JSON_TYPE ? 'batch/' : ''}accounts/${account.id}/campaigns`;
    const target = `/12/${path?.(examples) ?? campaigns}`;
    const params = type === FORM_TYPE ? pairsOf(body.toString()) : [];
    const { headers } = signed(`localhost:${port}`, mode === 'signed' ? pen : wrong, 'POST', target, undefined, params);
    if (mode === 'unsigned') delete headers.authorization;
    if (type !== undefined) headers['content-type'] = type;
    return ask(port, { method: 'POST', target, headers, body }, AGENT);
  };

  // what runs for the first time is compiled first
  for (const kind of HOSTILE_BODIES.slice(0, 8)) await send(kind, kind.make(examples), 'signed');
  for (let i = 0; i < 300; i++) await send({ ...HOSTILE_BODIES[0], type: FORM_TYPE }, 'name=x', 'signed');
  await pause(2_000);
  const before = residentOf(replica.pid);

  const longest = { blockedMs: 0, by: '' };
  const statuses: Record<string, number> = {};
  let faults = 0;
  let refused = 0;
  const count = ({ status }: Answer) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    // a burst may be more than there is memory for; that is said as it should be
    if (status >= 500 && status !== 503) faults++;
  };
  for (const kind of kinds) {
    const body = kind.make(examples);
    for (const mode of MODES) {
      let blockedMs = Infinity;
      for (let i = 0; i < ATTEMPTS && blockedMs > MAX_BLOCKED_MS / 2; i++) {
        await longestBlock();
        const answer = await send(kind, body, mode);
        count(answer);
        if (answer.status === 503) faults++;
        if (kind.valid && mode === 'signed' && answer.status !== 200) {
          refused++;
          console.log(`  ${kind.name}: ${answer.status} ${answer.body.slice(0, 500)}`);
        }
        blockedMs = Math.min(blockedMs, await longestBlock());
      }
      if (blockedMs > MAX_BLOCKED_MS) console.log(`  ${kind.name}, ${mode}: blocked for ${blockedMs.toFixed(0)} ms`);
      if (blockedMs > longest.blockedMs) Object.assign(longest, { blockedMs, by: `${kind.name}, ${mode}` });
    }
  }

  let highest = 0;
  for (let round = 0; round < (settings.quick ? 1 : 5); round++) {
    const bodies = kinds.map((kind) => ({ kind, body: kind.make(examples) }));
    const answers = Array.from({ length: BURST }, (_, i) => {
      const { kind, body } = bodies[(round * BURST + i) % bodies.length];
      return send(kind, body, i % 2 === 0 ? 'signed' : 'unsigned');
    });
    for (const answer of await Promise.all(answers)) count(answer);
    highest = Math.max(highest, residentOf(replica.pid));
  }
  let left = residentOf(replica.pid) - before;
  for (const end = performance.now() + SETTLING_MS; !isLarge && left > MAX_RETAINED_MIB && performance.now() < end;) {
    await pause(1_000);
    left = residentOf(replica.pid) - before;
  }
  return [
    noted('kinds of bodies', String(kinds.length)),
    noted(
      'answers',
      Object.entries(statuses)
        .map(([status, n]) => `${n} x ${status}`)
        .join(', '),
    ),
    atMost('5xx, but for 503 when they come in bursts', faults, 0),
    atMost('valid batches that were not answered 200', refused, 0),
    atMost('longest block of the event loop', longest.blockedMs, MAX_BLOCKED_MS, 'ms'),
    noted('by', longest.by),
    noted('resident before, at most', `${before.toFixed(0)} MiB, ${highest.toFixed(0)} MiB`),
    // an idle process keeps the heap that a burst of large batches needed
    isLarge
      ? noted('resident after, above before', worded(Math.max(0, left), 'MiB'))
      : atMost('resident after, above before', Math.max(0, left), MAX_RETAINED_MIB, 'MiB'),
  ];
}
