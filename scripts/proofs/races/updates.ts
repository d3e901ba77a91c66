import { type Arena, campaignsOf, mustBe, only, type Race } from './race.js';

interface Made {
  id: string;
  name: string;
}

/** Ten updates of one campaign: history has all of them, each beginning where another ended. */
export const oneCampaign: Race = {
  name: 'ten updates of one campaign',
  prepare: async (arena) => {
    const campaigns = campaignsOf(arena.cluster.world.written[3]);
    return async (time) => {
      const made = await arena.one<Made>(campaigns.create(`Race ${time}`));
      const answers = await arena.meet(
        Array.from({ length: 10 }, (_, i) => campaigns.update(made.id, { name: `Race ${time} update ${i}` })),
      );
      only([200], answers);
      await mustBeAChain(arena, made, 10);
    };
  },
};

/** Four batches over the same twenty campaigns, two of them in the opposite order. */
export const batches: Race = {
  name: 'four batches over the same twenty campaigns',
  prepare: async (arena) => {
    const campaigns = campaignsOf(arena.cluster.world.written[4]);
    return async (time) => {
      const names = Array.from({ length: 20 }, (_, i) => `Race ${time} ${i}`);
      const made = await arena.one<Made[]>(campaigns.batch(names.map((name) => campaigns.creation(name))));
      const answers = await arena.meet(
        [made, made.toReversed(), made.toReversed(), made].map((order, i) =>
          campaigns.batch(order.map(({ id, name }) => campaigns.change(id, { name: `${name} batch ${i}` }))),
        ),
      );
      only([200], answers);
      for (const each of made) await mustBeAChain(arena, each, answers.length);
    };
  },
};

/** None is lost: every value but the last is what another update found. */
async function mustBeAChain(arena: Arena, { id, name }: Made, updates: number): Promise<void> {
  const history = await arena.sql<{ changes: { name: { old: string; new: string } } }>(
    `SELECT changes FROM account_changes WHERE "entityId" = $1 AND "changeType" = 'UPDATE'`,
    id,
  );
  mustBe(history.length === updates, `${history.length} records of ${updates} updates`);
  const [stored] = await arena.sql<Made>('SELECT id, name FROM campaigns WHERE id = $1', id);
  const found = history.map(({ changes }) => changes.name.old).concat(stored.name);
  const left = history.map(({ changes }) => changes.name.new).concat(name);
  mustBe(found.sort().join() === left.sort().join(), `found ${found.join()}, left ${left.join()}`);
}
