/** What may end while a request is carried out, where replicas are processes and the databases have standbys. */
import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { world } from './app.js';
import { send } from './http.js';
import { IS_IN_PROCESSES } from './environment.js';

/** Where a proof fails its databases over, if it can. */
const SERVERS = process.env.MODEL_SERVERS || undefined;
/** After a service says that it is ready, its last old connections end. */
const SETTLE_MS = 1_000;
const LOOK_MS = 50;
const MAX_LOOKS = 1_200;

export interface Disaster {
  what: 'KILL' | 'FAILOVER';
  /** Which replica is asked, and killed. */
  replica: number;
  /** After the request was sent. */
  afterMs: number;
}

/** How many writes there are for each of them. */
const RARITY = Number(process.env.MODEL_WRITES_PER_DISASTER ?? 100);

const NONE = fc.constant(undefined);
/** Processes are killed where there are some; a failover takes seconds, and so is rare. */
export const disasters: fc.Arbitrary<Disaster | undefined> = IS_IN_PROCESSES
  ? fc.oneof(
      { weight: RARITY, arbitrary: NONE },
      {
        weight: 1,
        arbitrary: fc.record({
          what: fc.oneof(
            { weight: 12, arbitrary: fc.constant('KILL' as const) },
            { weight: SERVERS ? 1 : 0, arbitrary: fc.constant('FAILOVER' as const) },
          ),
          replica: fc.nat(1),
          afterMs: fc.nat(20),
        }),
      },
    )
  : NONE;

/** How many there were. */
export const struck = { KILL: 0, FAILOVER: 0 };

/** Lets it happen after `work` has begun, and waits until everything serves again. */
export async function strike({ what, replica, afterMs }: Disaster, work: () => Promise<unknown>): Promise<void> {
  if (what === 'FAILOVER' || world().detour(replica) !== replica) await world().untilWhole();
  // its connection may end without an answer
  const working = work().catch(() => undefined);
  await pause(afterMs);
  await (what === 'KILL' ? kill(replica) : failOver());
  await working;
}

async function kill(replica: number): Promise<void> {
  struck.KILL++;
  await world().kill(replica);
}

/** Has the primary of the databases killed, and its standby take over. */
async function failOver(): Promise<void> {
  struck.FAILOVER++;
  await world().untilWhole();
  const answer = await fetch(`${SERVERS}/failover`, { method: 'POST' });
  if (!answer.ok) throw new Error(await answer.text());
  await Promise.all([...world().processes.map((each) => each.untilReady()), untilArranging()]);
  await pause(SETTLE_MS);
}

/** The application that arranges finds the new primary too. */
async function untilArranging(): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    if ((await send(world().direct, '/health/ready', { method: 'GET' })).status === 200) return;
    await pause(LOOK_MS);
  }
}

/** While eight work at once: a replica is killed, then the database fails over, and then the other replica is killed. */
export async function disturb(): Promise<void> {
  if (!IS_IN_PROCESSES) return;
  await kill(0);
  if (SERVERS) await failOver();
  await kill(1);
  await world().untilWhole();
}
