import { type Arena, type Asked, campaignsOf, mustBe, only, query, type Race } from './race.js';

const SANDBOX = '/sandbox/12';
/** Over which requests are spread, so that deletions come before, between and after the others. */
const WITHIN_MS = 30;
const NOT_THERE = [400, 403, 404];

/** An account is deleted while things are created in it and changed. */
export const account: Race = {
  name: 'an account deleted beside writes in it',
  prepare: async (arena) => async (time) => {
    const made = await sandboxAccount(arena);
    const path = `${SANDBOX}/accounts/${made.id}`;
    const campaigns = campaignsOf(made, SANDBOX);
    const answers = await arena.meet(
      [
        ...Array.from({ length: 4 }, (_, i) => campaigns.create(`Race ${time} ${i}`)),
        campaigns.batch([1, 2, 3].map((i) => campaigns.creation(`Batch ${time} ${i}`))),
        { method: 'POST', target: `${path}/custom_audiences?name=Race%20${time}` },
        funding(path),
        { method: 'POST', target: `${path}/features?feature_keys=DR_TAP` },
        { method: 'PUT', target: `${path}?name=Race%20${time}` },
        { method: 'DELETE', target: path },
        ...Array.from({ length: 3 }, (_, i) => campaigns.create(`More ${time} ${i}`)),
      ],
      WITHIN_MS,
    );
    only([200, 201, ...NOT_THERE], answers);
    for (const table of ['campaigns', 'custom_audiences', 'funding_instruments', 'account_changes']) {
      await mustNotBeYounger(arena, table, '"accountId"', made.id);
    }
  },
};

/** A funding instrument is deleted while campaigns are created that name it. */
export const fundingInstrument: Race = {
  name: 'a funding instrument deleted beside creates that name it',
  prepare: async (arena) => {
    const made = await sandboxAccount(arena);
    const path = `${SANDBOX}/accounts/${made.id}`;
    return async (time) => {
      const { id } = await arena.one<{ id: string }>(funding(path));
      const campaigns = campaignsOf({ id: made.id, fundingId: id }, SANDBOX);
      const answers = await arena.meet(
        [
          ...Array.from({ length: 5 }, (_, i) => campaigns.create(`Race ${time} ${i}`)),
          campaigns.batch([1, 2, 3].map((i) => campaigns.creation(`Batch ${time} ${i}`))),
          { method: 'DELETE', target: `${path}/funding_instruments/${id}` },
          ...Array.from({ length: 4 }, (_, i) => campaigns.create(`More ${time} ${i}`)),
        ],
        WITHIN_MS,
      );
      only([200, 201, ...NOT_THERE], answers);
      await mustNotBeYounger(arena, 'campaigns', '"fundingInstrumentId"', id);
    };
  },
};

/** A campaign is deleted, twice, while it is changed. */
export const campaign: Race = {
  name: 'a campaign deleted by two beside updates of it',
  prepare: async (arena) => {
    const campaigns = campaignsOf(arena.cluster.world.written[5]);
    return async (time) => {
      const { id } = await arena.one<{ id: string }>(campaigns.create(`Race ${time}`));
      const update = (i: number) => campaigns.update(id, { name: `Race ${time} update ${i}` });
      const answers = await arena.meet(
        [
          ...[1, 2, 3].map(update),
          campaigns.batch([campaigns.change(id, { name: `Race ${time} batch` })]),
          campaigns.delete(id),
          campaigns.delete(id),
          ...[4, 5].map(update),
        ],
        WITHIN_MS,
      );
      only([200, ...NOT_THERE], answers);
      await mustNotBeYounger(arena, 'account_changes', '"entityId"', id);
    };
  },
};

/**
 * No row of a parent is younger than the deletion of what `deleted` names, the parent unless given: by the order in which
 * PostgreSQL committed, which no clock of a replica decides.
 */
export async function mustNotBeYounger(
  arena: Arena,
  table: string,
  column: string,
  parent: string,
  deleted = parent,
): Promise<void> {
  const [deletion, ...others] = await arena.sql<{ at: string }>(
    `SELECT pg_xact_commit_timestamp(xmin)::text AS at FROM account_changes WHERE "entityId" = $1 AND "changeType" = 'DELETE'`,
    deleted,
  );
  mustBe(deletion !== undefined && others.length === 0, `${deletion ? 1 + others.length : 0} records of the deletion`);
  const younger = await arena.sql(
    `SELECT 1 FROM ${table} WHERE ${column} = $1 AND pg_xact_commit_timestamp(xmin) > $2::timestamptz`,
    parent,
    deletion.at,
  );
  mustBe(younger.length === 0, `${younger.length} rows of ${table} are younger than the deletion`);
}

async function sandboxAccount(arena: Arena): Promise<{ id: string; fundingId: string }> {
  const [{ id }] = await arena.one<{ id: string }[]>({ method: 'POST', target: `${SANDBOX}/accounts` });
  const { id: fundingId } = await arena.one<{ id: string }>(funding(`${SANDBOX}/accounts/${id}`));
  return { id, fundingId };
}

const funding = (path: string): Asked => ({
  method: 'POST',
  target: `${path}/funding_instruments?${query({ currency: 'USD', start_time: '2026-01-01T00:00:00Z', type: 'CREDIT_CARD' })}`,
});
