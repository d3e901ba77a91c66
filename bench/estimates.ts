import { CustomAudiencesService } from '../src/audiences/custom-audiences/custom-audiences.service.js';
import { SAMPLE_SIZE } from '../src/audiences/directory/directory-sample.rules.js';
import { MAX_USERS, USERS } from '../src/audiences/directory/directory-sample.statements.js';
import { DoNotReachListsService } from '../src/audiences/do-not-reach-lists/do-not-reach-lists.service.js';
import { locationOf } from '../src/audiences/locations/countries.js';
import { AccountAccessService } from '../src/accounts/access/account-access.service.js';
import { CONVERSATIONS, INTERESTS } from '../src/campaigns/targeting-values/targeting-lists.js';
import type { Case } from './cases.js';
import { dice } from './dice.js';
import { fill, withService } from './sizes.js';
import { query, type World } from './world.js';

/** Keywords of the directory, each with fewer users than the one before. */
const KEYWORDS = 1_000;
/** Users who are followed; the same holds for them. */
const FOLLOWED = 20_000;
const FIRST_USER = 7e15;
/** Different requests of a case. */
const VARIETY = 100;
/** Criteria of a request. */
const CRITERIA = 10;

/** People of the audiences that are asked for, and of the list of those to be left alone. */
const FEW = 150;
const LEFT_ALONE = 10;

type Criterion = [type: string, value: string, operator?: 'EQ' | 'NE'];

/** How audiences are estimated: requests of ten criteria each, over a directory of so many users with forty values each. */
export interface EstimateCases {
  /** What the reference answers, too. */
  compared: Case;
  /** What it does not. */
  alone: Case[];
}

/** Fills the directory, the sample and the audiences, and makes the requests, the same in every run. */
export async function makeEstimates(world: World, users: number): Promise<EstimateCases> {
  await fillUsers(world, users);
  const ids = await withService(world, {}, async ({ app }) => {
    const find = (id: string) => app.get(AccountAccessService).find('production', id, world.author);
    const [account, other] = [(await find(world.account.id))!, (await find(world.written[0].id))!];
    const audiences = app.get(CustomAudiencesService);
    const made = [];
    for (const [owner, name] of [
      [account, 'Many'],
      [account, 'Few'],
      [other, 'Many'],
    ] as const)
      made.push((await audiences.create(owner, { name })).id);
    return { made, list: (await app.get(DoNotReachListsService).create(other, {})).id };
  });
  const [many, few, manyOfOther] = ids.made;
  // half of them are users, by each of three identifiers
  await fill(world.databaseUrl, many, users, 5);
  await fill(world.databaseUrl, few, FEW, 0);
  await fill(world.databaseUrl, manyOfOther, users, 5);
  await fill(world.databaseUrl, ids.list, Math.floor(users / LEFT_ALONE), 0);
  await query(
    world.databaseUrl,
    `UPDATE custom_audiences SET "reasonsNotTargetable" = '{}', "audienceSize" = ${users} WHERE id IN ('${ids.made.join(`', '`)}')`,
  );
  await query(world.databaseUrl, 'VACUUM (ANALYZE)');
  await query(world.databaseUrl, 'CHECKPOINT');

  const draw = dice();
  const estimate = (name: string, accountId: string, primary: () => Criterion[]): Case => ({
    name: `audience estimate, ${name}`,
    requests: Array.from({ length: VARIETY }, () => ({
      method: 'POST',
      target: `/12/accounts/${accountId}/audience_estimate`,
      body: JSON.stringify({ targeting_criteria: criteriaOf([...primary(), ...secondary(draw)]) }),
    })),
  });
  const { account, written } = world;
  return {
    compared: estimate('known', account.id, () => known(draw, CRITERIA - SECONDARY)),
    alone: [
      estimate('similar', account.id, () => [
        ['SIMILAR_TO_FOLLOWERS_OF_USER', `${FIRST_USER + draw(FOLLOWED)}`],
        ...known(draw, CRITERIA - SECONDARY - 1),
      ]),
      estimate('many people', account.id, () => [
        ['CUSTOM_AUDIENCE', many, 'EQ'],
        ...known(draw, CRITERIA - SECONDARY - 1),
      ]),
      estimate('few people', account.id, () => [
        ['CUSTOM_AUDIENCE', few, 'EQ'],
        ['BROAD_KEYWORD', `word${KEYWORDS - 1}`],
      ]),
      estimate('not to be reached', written[0].id, () => [
        ['CUSTOM_AUDIENCE', manyOfOther, 'NE'],
        ...known(draw, CRITERIA - SECONDARY - 1),
      ]),
    ],
  };
}

const criteriaOf = (criteria: Criterion[]) =>
  criteria.map(([targeting_type, targeting_value, operator_type]) => ({
    targeting_type,
    targeting_value,
    ...(operator_type && { operator_type }),
  }));

/** Different keywords, interests and conversations, in turn. */
function known(draw: (below: number) => number, count: number): Criterion[] {
  const found = new Map<string, Criterion>();
  while (found.size < count) {
    const [interests, conversations] = [INTERESTS.all(), CONVERSATIONS.all()];
    const kinds: Criterion[] = [
      ['BROAD_KEYWORD', `word${draw(KEYWORDS)}`],
      ['INTEREST', interests[draw(interests.length)].value],
      ['CONVERSATION', conversations[draw(conversations.length)].value],
    ];
    const criterion = kinds[found.size % kinds.length];
    found.set(criterion.join(), criterion);
  }
  return [...found.values()];
}

const SECONDARY = 4;

const secondary = (draw: (below: number) => number): Criterion[] => [
  ['LOCATION', locationOf('US')],
  ['LANGUAGE', ['en', 'de', 'ja'][draw(3)]],
  ['GENDER', `${1 + draw(2)}`],
  ['AGE', ['AGE_18_TO_34', 'AGE_OVER_25', 'AGE_13_TO_49'][draw(3)]],
];

/** Users with ten traits, twenty follows and four identifiers each; values come up as rarely as in life, some very often. */
export async function fillUsers({ databaseUrl }: World, users: number): Promise<void> {
  const list = (values: readonly { value: string }[]) => `ARRAY[${values.map(({ value }) => `'${value}'`).join(',')}]`;
  const [interests, conversations] = [INTERESTS.all(), CONVERSATIONS.all()];
  await query(
    databaseUrl,
    `INSERT INTO users (id, "createdAt", "updatedAt", username, name)
      SELECT (${FIRST_USER}::bigint + n)::text, now(), now(), 'bench_' || n, 'Bench ' || n FROM generate_series(1, ${users}) AS n`,
  );
  await query(databaseUrl, 'DROP INDEX directory_users_traits, directory_users_follows');
  await query(
    databaseUrl,
    `SELECT setseed(0.5);
    INSERT INTO directory_users (number, "userId", "activeAt", country, language, gender, "ageBucket", platforms, traits, follows) OVERRIDING SYSTEM VALUE
      SELECT n, (${FIRST_USER}::bigint + n)::text, now() - (n % 100) * interval '1 day' + interval '1 hour',
        (ARRAY['US', 'US', 'US', 'US', 'GB', 'DE', 'JP', 'CA', 'BR', NULL])[1 + floor(random() * 10)::int],
        (ARRAY['en', 'en', 'en', 'en', 'en-GB', 'de', 'ja', 'es', 'pt', NULL])[1 + floor(random() * 10)::int],
        1 + floor(random() * 2)::int, floor(random() * 7)::int, 1 << floor(random() * 5)::int,
        ARRAY(SELECT DISTINCT t FROM (
          SELECT 'I:' || (${list(interests)})[1 + floor(power(random(), 2) * ${interests.length})::int] AS t FROM generate_series(1, 5) WHERE n = n
          UNION ALL SELECT 'K:word' || floor(power(random(), 2) * ${KEYWORDS})::int FROM generate_series(1, 4) WHERE n = n
          UNION ALL SELECT 'C:' || (${list(conversations)})[1 + floor(random() * ${conversations.length})::int] WHERE n = n) x),
        ARRAY(SELECT DISTINCT ${FIRST_USER}::bigint + floor(power(random(), 3) * ${FOLLOWED})::bigint FROM generate_series(1, 20) WHERE n = n)
      FROM generate_series(1, ${users}) AS n`,
  );
  await query(
    databaseUrl,
    `INSERT INTO directory_identifiers (kind, hash, number)
      SELECT kind, sha256((n || ' ' || kind)::bytea), n FROM generate_series(1, ${users}) AS n, generate_series(0, 3) AS kind ORDER BY 1, 2`,
  );
  await fillSample(databaseUrl, users);
  await query(databaseUrl, 'CREATE INDEX directory_users_traits ON directory_users USING gin (traits)');
  await query(databaseUrl, 'CREATE INDEX directory_users_follows ON directory_users USING gin (follows)');
}

/** What imports would have made of it. */
async function fillSample(databaseUrl: string, users: number): Promise<void> {
  const columns = `"userId", "activeAt", country, language, gender, "ageBucket", platforms, traits, follows`;
  await query(
    databaseUrl,
    `INSERT INTO directory_sample (number, key, ${columns})
      SELECT number, ('x' || left(md5(number::text), 16))::bit(64)::bigint AS key, ${columns} FROM directory_users
      ORDER BY key LIMIT ${SAMPLE_SIZE}`,
  );
  await query(
    databaseUrl,
    `INSERT INTO counters ("ownerId", kind, value, "limit") VALUES ('${USERS.ownerId}', '${USERS.kind}', ${users}, ${MAX_USERS})
      ON CONFLICT ("ownerId", kind) DO UPDATE SET value = EXCLUDED.value`,
  );
}
