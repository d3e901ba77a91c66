import { mustBe, only, type Race, statusesOf } from './race.js';

/** Custom audiences of one name are created on both replicas: one is. */
export const sameName: Race = {
  name: 'the same unique name created by six',
  prepare: async (arena) => {
    const path = `/12/accounts/${arena.cluster.world.written[0].id}/custom_audiences`;
    return async (time) => {
      const request = { method: 'POST', target: `${path}?name=Race%20${time}` };
      const answers = await arena.meet(Array.from({ length: 6 }, () => request));
      only([201, 400], answers);
      mustBe(answers.filter(({ status }) => status === 201).length === 1, statusesOf(answers));
      const stored = await arena.sql('SELECT id FROM custom_audiences WHERE name = $1', `Race ${time}`);
      mustBe(stored.length === 1, `${stored.length} are stored`);
    };
  },
};
