import { AudienceSizes } from '../src/audiences/audience-sizes/audience-sizes.service.js';
import { CustomAudienceBatchService } from '../src/audiences/custom-audiences/custom-audience-batch.service.js';
import { CustomAudiencesService } from '../src/audiences/custom-audiences/custom-audiences.service.js';
import { AccountAccessService } from '../src/accounts/access/account-access.service.js';
import { readConfig } from '../src/config/config.js';
import { openService, type Service } from '../src/service.js';
import { query, type World } from './world.js';

const LEAVES = 10;

export interface SizeTime {
  name: string;
  people: number;
  seconds: number;
}

/**
 * How long the people of audiences are counted, of `people` persons with three identifiers each: ten audiences, the flexible
 * one that is made of them, and the same by the directory of as many users with four identifiers each.
 */
export async function measureSizes(world: World, people: number): Promise<SizeTime[]> {
  const { audiences, flexible } = await makeAudiences(world);
  await query(world.databaseUrl, WITHOUT_INDEXES);
  for (const [n, id] of audiences.entries())
    await fill(world.databaseUrl, id, people, n, { users: people, order: 'n' });
  await fillDirectory(world, people);
  await query(world.databaseUrl, WITH_INDEXES);
  await query(
    world.databaseUrl,
    `INSERT INTO audience_sizings ("audienceId", kind, "accountId", "userId", generation, "matchedTo")
      SELECT id, 'CUSTOM_AUDIENCE', '${world.account.id}', '${world.author}', 1, 0 FROM unnest('{${audiences.join(',')}}'::varchar[]) id`,
  );
  await query(world.databaseUrl, 'VACUUM (ANALYZE)');
  await query(world.databaseUrl, 'CHECKPOINT');
  const times: SizeTime[] = [];
  for (const matching of ['all', 'directory']) {
    await withService(world, { AUDIENCE_MATCHING: matching }, async ({ app }) => {
      const sizes = app.get(AudienceSizes);
      const resize = async (audienceId: string) => {
        const begun = performance.now();
        await sizes.resize({
          audienceId,
          kind: 'CUSTOM_AUDIENCE',
          accountId: world.account.id,
          userId: world.author,
          generation: 1,
        });
        return (performance.now() - begun) / 1_000;
      };
      const each: number[] = [];
      for (const id of audiences) each.push(await resize(id));
      each.sort((a, b) => a - b);
      const note = (name: string, seconds: number) => times.push({ name: `${name}, ${matching}`, people, seconds });
      note(`an audience, quickest of ${LEAVES}`, each[0]);
      note(`an audience, slowest of ${LEAVES}`, each.at(-1)!);
      for (const time of ['first', 'again']) note(`a tree of ${LEAVES}, ${time}`, await resize(flexible));
    });
  }
  return times;
}

export async function withService<R>(
  { environment }: World,
  more: Record<string, string>,
  work: (service: Service) => Promise<R>,
): Promise<R> {
  const service = await openService(
    readConfig({ ...environment, BASE_URL: 'http://127.0.0.1', LOG_LEVEL: 'error', ...more }),
  );
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

function makeAudiences(world: World): Promise<{ audiences: string[]; flexible: string }> {
  return withService(world, {}, async ({ app }) => {
    const account = (await app.get(AccountAccessService).find('production', world.account.id, world.author))!;
    const audiences: string[] = [];
    for (let n = 0; n < LEAVES; n++)
      audiences.push((await app.get(CustomAudiencesService).create(account, { name: `Leaf ${n}` })).id);
    const leaf = (id: string, n: number) => ({ custom_audience_id: id, lookback_window: 30, negate: n === LEAVES - 1 });
    const { items } = await app.get(CustomAudienceBatchService).batch(account, [
      {
        operation_type: 'Create',
        params: {
          name: 'Tree',
          audience_type: 'FLEXIBLE',
          segments: {
            boolean_operator: 'AND',
            child_segments: [
              { boolean_operator: 'OR', child_segments: audiences.slice(0, 5).map(leaf) },
              { boolean_operator: 'OR', child_segments: audiences.slice(5).map((id, n) => leaf(id, n + 5)) },
            ],
          },
        },
      },
    ]);
    return { audiences, flexible: items[0].id };
  });
}

/** Rows lie in the order in which people were uploaded, which is that of no index: these are made afterwards. */
const WITHOUT_INDEXES = `ALTER TABLE audience_identifiers DROP CONSTRAINT "PK_6f2a25c75d16039e4712cf817b1";
  DROP INDEX audience_identifiers_tied`;
const WITH_INDEXES = `ALTER TABLE audience_identifiers ADD CONSTRAINT "PK_6f2a25c75d16039e4712cf817b1" PRIMARY KEY ("audienceId", kind, hash);
  CREATE INDEX audience_identifiers_tied ON audience_identifiers ("audienceId", person) WHERE tied`;

/** Every audience has nine in ten people of the one before, and as many others; the first `users` of all are in the directory. */
export const fill = (
  databaseUrl: string,
  id: string,
  people: number,
  place: number,
  { users = 0, order = 'kind, 3' } = {},
) =>
  query(
    databaseUrl,
    `INSERT INTO audience_identifiers ("audienceId", kind, hash, person, first, tied, "effectiveAt", "expiresAt", "lastDay", updates, users)
      SELECT '${id}', kind, sha256((n || ' ' || kind)::bytea), hashint8extended(n, 0), kind = 0, true, now() - interval '1 hour', now() + interval '1 year',
        extract(epoch FROM now())::int / 86400, 1, CASE WHEN kind = 0 AND n <= ${users} THEN ARRAY[n] END
      FROM generate_series(${place * Math.floor(people / 10)} + 1, ${place * Math.floor(people / 10)} + ${people}) AS n, generate_series(0, 2) AS kind
      ORDER BY ${order}`,
  );

async function fillDirectory({ databaseUrl }: World, people: number): Promise<void> {
  await query(
    databaseUrl,
    `INSERT INTO users (id, "createdAt", "updatedAt", username, name)
      SELECT (7e15::bigint + n)::text, now(), now(), 'bench_' || n, 'Bench ' || n FROM generate_series(1, ${people}) AS n`,
  );
  await query(
    databaseUrl,
    `INSERT INTO directory_users (number, "userId", "activeAt", platforms, traits, follows) OVERRIDING SYSTEM VALUE
      SELECT n, (7e15::bigint + n)::text, now(), 1, '{}', '{}' FROM generate_series(1, ${people}) AS n`,
  );
  await query(
    databaseUrl,
    `INSERT INTO directory_identifiers (kind, hash, number)
      SELECT kind, sha256((n || ' ' || kind)::bytea), n FROM generate_series(1, ${people}) AS n, generate_series(0, 3) AS kind ORDER BY 1, 2`,
  );
}
