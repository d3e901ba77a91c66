import { AudienceSizes } from '../src/audiences/audience-users/audience-sizes.service.js';
import { CustomAudienceBatchService } from '../src/audiences/custom-audiences/custom-audience-batch.service.js';
import { CustomAudiencesService } from '../src/audiences/custom-audiences/custom-audiences.service.js';
import { AccountAccessService } from '../src/accounts/access/account-access.service.js';
import { readConfig } from '../src/config.js';
import { openService, type Service } from '../src/service.js';
import { query, type World } from './world.js';

const LEAVES = 10;

export interface SizeTime {
  name: string;
  people: number;
  seconds: number;
}

/**
 * How long the people of audiences are counted, of `people` persons with three identifiers each: one audience, ten of them
 * that a flexible audience is made of, and the same by the directory of as many users with four identifiers each.
 */
export async function measureSizes(world: World, people: number): Promise<SizeTime[]> {
  const { audiences, flexible } = await makeAudiences(world);
  for (const [n, id] of audiences.entries()) await fill(world.databaseUrl, id, people, n);
  await fillDirectory(world, people);
  await query(world.databaseUrl, 'VACUUM (ANALYZE)');
  await query(world.databaseUrl, 'CHECKPOINT');
  const times: SizeTime[] = [];
  for (const matching of ['all', 'directory']) {
    await withService(world, { AUDIENCE_MATCHING: matching }, async ({ app }) => {
      const sizes = app.get(AudienceSizes);
      for (const [what, audienceId] of [
        ['an audience', audiences[0]],
        [`a tree of ${LEAVES}`, flexible],
      ]) {
        const due = {
          audienceId,
          kind: 'CUSTOM_AUDIENCE' as const,
          accountId: world.account.id,
          userId: world.author,
          generation: 0,
        };
        for (const time of ['first', 'again']) {
          const begun = performance.now();
          await sizes.resize(due);
          const seconds = (performance.now() - begun) / 1_000;
          times.push({ name: `${what}, ${matching}, ${time}`, people, seconds });
        }
      }
    });
  }
  return times;
}

async function withService<R>(
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

/** Every audience has nine in ten people of the one before, and as many others. */
const fill = (databaseUrl: string, id: string, people: number, place: number) =>
  query(
    databaseUrl,
    `INSERT INTO audience_identifiers ("audienceId", kind, hash, person, first, tied, "effectiveAt", "expiresAt", "lastDay", updates)
      SELECT '${id}', kind, sha256((n || ' ' || kind)::bytea), n, kind = 0, true, now() - interval '1 hour', now() + interval '1 year',
        extract(epoch FROM now())::int / 86400, 1
      FROM generate_series(${place * Math.floor(people / 10)} + 1, ${place * Math.floor(people / 10)} + ${people}) AS n, generate_series(0, 2) AS kind
      ORDER BY kind, 3`,
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
