import { type Arena, campaignsOf, mustBe, only, type Race, statusesOf, succeeded } from './race.js';

const LIMIT = 200;
const ROOM = 3;

/** Creates of active campaigns where there is room for three. */
export const lastPlaces: Race = {
  name: 'eight creates for the last three places of a limit',
  prepare: async (arena) => {
    const full = await nearlyFull(arena, 1);
    return async (time) => {
      const answers = await arena.meet(
        Array.from({ length: 8 }, (_, i) => full.campaigns.create(`Race ${time} ${i}`, 'ACTIVE')),
      );
      only([201, 400], answers);
      mustBe(answers.filter(succeeded).length === ROOM, statusesOf(answers));
      await full.mustHold(LIMIT);
      await full.makeRoom();
    };
  },
};

/** Creates, updates and batches that make campaigns active where there is room for three. */
export const allWays: Race = {
  name: 'creates, updates and batches for the last three places of a limit',
  prepare: async (arena) => {
    const full = await nearlyFull(arena, 2);
    return async (time) => {
      const { campaigns } = full;
      const paused = await Promise.all(
        Array.from({ length: 4 }, (_, i) => arena.one<{ id: string }>(campaigns.create(`Paused ${time} ${i}`))),
      );
      const activate = { entity_status: 'ACTIVE' };
      const singles = [
        campaigns.create(`Race ${time} 1`, 'ACTIVE'),
        campaigns.create(`Race ${time} 2`, 'ACTIVE'),
        campaigns.update(paused[0].id, activate),
        campaigns.update(paused[1].id, activate),
      ];
      const batches = [
        campaigns.batch([1, 2].map((i) => campaigns.creation(`Batch ${time} ${i}`, 'ACTIVE'))),
        campaigns.batch(paused.slice(2).map(({ id }) => campaigns.change(id, activate))),
      ];
      const answers = await arena.meet([...singles, ...batches]);
      only([200, 201, 400], answers);
      // Nobody makes room meanwhile: where a single one was refused, it was full and stays so.
      const refused = answers.slice(0, singles.length).some((answer) => !succeeded(answer));
      await full.mustHold(refused ? LIMIT : undefined);
      await full.makeRoom();
    };
  },
};

/** An account with so many active campaigns that three more may be. */
async function nearlyFull(arena: Arena, account: number) {
  const owner = arena.cluster.world.written[account];
  const campaigns = campaignsOf(owner);
  const active = () =>
    arena.sql<{ id: string }>(
      `SELECT id FROM campaigns WHERE "accountId" = $1 AND "entityStatus" = 'ACTIVE' AND "deletedAt" IS NULL ORDER BY id`,
      owner.id,
    );
  for (let made = 0; made < LIMIT - ROOM; made += 20) {
    const more = Math.min(20, LIMIT - ROOM - made);
    await arena.one(
      campaigns.batch(Array.from({ length: more }, (_, i) => campaigns.creation(`Full ${made + i}`, 'ACTIVE'))),
    );
  }
  return {
    campaigns,
    /** Throws where more are active than may be, the counter is not their number, or they are not as many as they have to be. */
    async mustHold(exactly?: number): Promise<void> {
      const { length } = await active();
      const [counter] = await arena.sql<{ value: number }>('SELECT value FROM counters WHERE "ownerId" = $1', owner.id);
      mustBe(length <= LIMIT, `${length} are active`);
      mustBe(counter.value === length, `the counter says ${counter.value}, ${length} are active`);
      mustBe(exactly === undefined || length === exactly, `${length} are active, ${exactly} could be`);
    },
    async makeRoom(): Promise<void> {
      const surplus = (await active()).slice(LIMIT - ROOM);
      for (const { id } of surplus) await arena.one(campaigns.update(id, { entity_status: 'PAUSED' }));
    },
  };
}
