import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';

interface Criterion {
  targeting_type: string;
  targeting_value: string;
}

const LETTERS: Record<string, string> = { BROAD_KEYWORD: 'K', INTEREST: 'I', CONVERSATION: 'C' };
const AGES: Record<string, number[]> = {
  AGE_18_TO_34: [1, 2, 3],
  AGE_OVER_25: [3, 4, 5, 6],
  AGE_13_TO_49: [0, 1, 2, 3, 4],
};

/** The same count over the same sample by one statement written for it: no value is checked, nobody is left out of it. */
const COUNT = (
  traits: number,
) => `SELECT count(*) FILTER (WHERE gender = $1 AND "ageBucket" = ANY($2) AND country = 'US'
      AND (lower(language COLLATE "C") = $3 OR split_part(lower(language COLLATE "C"), '-', 1) = $3)
      AND "activeAt" >= now() - interval '90 days')::int AS users,
    (SELECT value FROM counters WHERE "ownerId" = 'directory' AND kind = 'users') AS directory
  FROM directory_sample WHERE ${Array.from({ length: traits }, (_, i) => `traits && ARRAY[$${i + 4}]::varchar[]`).join(' OR ')}`;

/** How audiences of keywords, interests and conversations are estimated, with one criterion of each of four other types. */
export function estimates(server: FastifyInstance, pool: Pool, sampleSize: number): void {
  server.post('/12/accounts/:account_id/audience_estimate', async (request, reply) => {
    const { account_id: account } = request.params as { account_id: string };
    const { targeting_criteria: criteria } = request.body as { targeting_criteria: Criterion[] };
    const of = (type: string) => criteria.find((each) => each.targeting_type === type)!.targeting_value;
    const traits = criteria.flatMap(({ targeting_type: type, targeting_value: value }) =>
      LETTERS[type] ? [`${LETTERS[type]}:${value}`] : [],
    );
    const { rows } = await pool.query<{ users: number; directory: number }>({
      text: COUNT(traits.length),
      values: [Number(of('GENDER')), AGES[of('AGE')], of('LANGUAGE'), ...traits],
    });
    const [{ users, directory }] = rows;
    const people = Math.round((users * directory) / Math.min(directory, sampleSize));
    const [min, max] = [Math.round(0.95 * people), Math.round(1.05 * people)];
    return reply
      .type('application/json; charset=utf-8')
      .send(
        `{"request":{"params":{"account_id":"${account}","targeting_criteria":null}},"data":{"audience_size":{"min":${min},"max":${max}}}}`,
      );
  });
}
