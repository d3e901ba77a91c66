import { ask, signed } from '../support/requests.js';
import { mustBe, type Race, statusesOf } from './race.js';

/** One signed request arrives at both replicas, three times each. */
export const sameNonce: Race = {
  name: 'the same signed request at both replicas',
  prepare: async ({ cluster }) => {
    const { world, host, replicas } = cluster;
    return async () => {
      const request = signed(host, world.pen, 'GET', `/12/accounts/${world.account.id}`);
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) => ask(replicas[i % replicas.length].port, request)),
      );
      const statuses = statusesOf(answers);
      mustBe(statuses === '200, 401, 401, 401, 401, 401', statuses);
    };
  },
};
