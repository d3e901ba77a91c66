import { createHash, randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { withService } from '../../bench/sizes.js';
import type { World } from '../../bench/world.js';
import { AccountAccessService } from '../../src/accounts/access/account-access.service.js';
import { FeaturesService } from '../../src/accounts/features/features.service.js';
import { DirectoryImportService } from '../../src/audiences/directory/directory-import.service.js';
import { startCluster, type Cluster } from './support/cluster.js';
import { onPostgres, type Query } from './support/creates.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { type Figure } from './support/table.js';
import { learned, waysOut } from './ways-out.js';

/** Users whom the attacker knows to be users: he made them. Female, so that a male one more would be told. */
const KNOWN = 600;
/** Users of the directory besides. */
const OTHERS = 3_000;
/** How often an attack is repeated for one target, each time with other fillers or another criterion that changes nothing. */
const REPEATS = 3;
const AT_ONCE = 8;
const SETTLED_WITHIN_MS = 300_000;
/** Guesses of one attack, and of all attacks at the same thing together: how far from chance, in deviations. */
const ONE_ATTACK = 3.29;
const ALL_ATTACKS = 2.58;
/** The part about everything else than answers of the API about audiences. */
const WAYS_OUT = 'ways out';

/** Numbers of people as they were counted, where attacks have to succeed, and as production reports them. */
const MODES = {
  exact: { NODE_ENV: 'development', DEMO: 'false', AUDIENCE_MATCHING: 'directory', AUDIENCE_PRIVACY: 'exact' },
  protected: {},
};

/**
 * An advertiser wants to know of many persons, one by one, whether they are users of the platform, whether they are male, and
 * whether they are in the audience that another advertiser shares. He guesses by all that the service tells him.
 */
export async function prove(): Promise<Figure[]> {
  const targets = settings.quick ? 40 : 200;
  const figures = [...(await proveWaysOut())];
  if (settings.only === WAYS_OUT) return figures;
  for (const [mode, environment] of Object.entries(MODES)) {
    const attacks = await withStage(async (stage) => {
      const cluster = await startCluster(stage, { environment });
      await fillDirectory(cluster.world, targets);
      return onPostgres(cluster.world.databaseUrl, (query) => new Attacker(cluster, query, targets).attack());
    });
    for (const { name, isTrue, attempts } of attacks) {
      const guesses = [
        ...attempts,
        ...(attempts.length > 1 ? [{ by: 'all together', scores: together(attempts) }] : []),
      ];
      for (const { by, scores } of guesses) {
        const right = rightGuesses(scores, isTrue);
        const deviations = by === 'all together' || attempts.length === 1 ? ALL_ATTACKS : ONE_ATTACK;
        const judged = mode === 'exact' ? succeeds(right, targets) : isChance(right, targets, deviations);
        figures.push({ part: mode, name: `${name}, by ${by}`, measured: `${right} of ${targets}`, ...judged });
      }
    }
  }
  return figures;
}

/** As in production: what else the service tells about a person, wherever it does. */
function proveWaysOut(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const count = settings.quick ? 40 : 80;
    const environment = { SANDBOX: 'true', WORKBENCH: 'true', DELIVERY: 'simulated' };
    const cluster = await startCluster(stage, { environment });
    await fillDirectory(cluster.world, count);
    const suspects = { count, address: suspect, isUser, filler: known };
    const { ways, control } = await onPostgres(cluster.world.databaseUrl, (query) => waysOut(cluster, query, suspects));
    return [control, ...ways].map((way) => {
      const { right, of } = learned(way, isUser);
      const judged = way === control ? succeeds(right, of) : isChance(right, of, ONE_ATTACK);
      return { part: WAYS_OUT, name: `is a user, by ${way.by}`, measured: `${right} of ${of}`, ...judged };
    });
  });
}

/** Without protection an attack has to work, or the proof would prove nothing. */
const succeeds = (right: number, targets: number) => ({ promise: 'nearly all', ok: right >= 0.95 * targets });

function isChance(right: number, targets: number, deviations: number) {
  const off = (deviations * Math.sqrt(targets)) / 2;
  const [min, max] = [Math.ceil(targets / 2 - off), Math.floor(targets / 2 + off)];
  return { promise: `${min} to ${max}`, ok: right >= min && right <= max };
}

/** What an attacker wants to know of every target, and how much each attack speaks for it. */
interface Attack {
  name: string;
  isTrue: (target: number) => boolean;
  attempts: { by: string; scores: number[] }[];
}

/** Half of the targets are what is guessed: he guesses that it is those of whom the scores are highest. */
function rightGuesses(scores: readonly number[], isTrue: (target: number) => boolean): number {
  const ranked = scores.map((score, target) => ({ score, target, coin: randomInt(2 ** 40) }));
  ranked.sort((one, other) => other.score - one.score || other.coin - one.coin);
  return ranked.filter(({ target }, place) => isTrue(target) === place < scores.length / 2).length;
}

/** Scores of several attacks, each in its own deviations. */
function together(attempts: Attack['attempts']): number[] {
  const standard = attempts.map(({ scores }) => {
    const mean = meanOf(scores);
    const deviation = Math.sqrt(meanOf(scores.map((score) => (score - mean) ** 2)));
    return scores.map((score) => (deviation === 0 ? 0 : (score - mean) / deviation));
  });
  return standard[0].map((_, target) => standard.reduce((sum, scores) => sum + scores[target], 0));
}

const meanOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const known = (n: number) => `known${n}@example.com`;
/** Half of them are users. */
const suspect = (n: number) => `suspect${n}@example.com`;
const isUser = (n: number) => n % 2 === 0;
/** All of them are users; half are male, half are in the audience of the other advertiser. */
const person = (n: number) => `person${n}@example.com`;
const isMale = (n: number) => n % 2 === 0;
const isShared = (n: number) => n % 4 < 2;

async function fillDirectory(world: World, targets: number): Promise<void> {
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  const users = [
    ...numbers(KNOWN).map((n) => ({ username: `known${n}`, email: known(n), gender: 'FEMALE' })),
    ...numbers(OTHERS).map((n) => ({ username: `other${n}`, email: `other${n}@example.com`, gender: 'MALE' })),
    ...numbers(targets).flatMap((n) => (isUser(n) ? [{ username: `suspect${n}`, email: suspect(n) }] : [])),
    ...numbers(targets).map((n) => ({
      username: `person${n}`,
      email: person(n),
      gender: isMale(n) ? 'MALE' : 'FEMALE',
    })),
  ];
  await withService(world, {}, async ({ app }) => {
    const directory = app.get(DirectoryImportService);
    for (let n = 0; n < users.length; n += 1_000)
      await directory.store(users.slice(n, n + 1_000).map((each) => directory.read(each)));
    const other = await app.get(AccountAccessService).find('production', world.written[0].id, world.author);
    await app.get(FeaturesService).add(other!, ['SHARE_AUDIENCE_OUTSIDE_BUSINESS']);
  });
}

type Criterion = [type: string, value: string, operator?: 'EQ' | 'NE'];

class Attacker {
  private readonly account: string;

  constructor(
    private readonly cluster: Cluster,
    private readonly query: Query,
    private readonly targets: number,
  ) {
    this.account = cluster.world.account.id;
  }

  async attack(): Promise<Attack[]> {
    const shared = await this.shareAudience();
    const fillers = (from: number, count: number) => Array.from({ length: count }, (_, n) => known(from + n));
    // ninety-nine each, other ones every time; the first are in the audience that is shared
    const ninetyNine = Array.from({ length: REPEATS }, (_, n) => fillers(100 * n, 99));
    const many = fillers(0, 300);
    const base = await this.audience('many', many);
    const suspects = await this.each(async (n) => ({
      one: await this.audience(`suspect ${n}`, [suspect(n)]),
      hundreds: await inTurn(ninetyNine, (some, i) => this.audience(`suspect ${n} of ${i}`, [...some, suspect(n)])),
      among: await this.audience(`suspect ${n} among many`, [...many, suspect(n)]),
    }));
    const people = await this.each(async (n) => ({
      hundred: await this.audience(`person ${n} of a hundred`, [...ninetyNine[0], person(n)]),
      among: await this.audience(`person ${n} among many`, [...many, person(n)]),
    }));
    await this.settled();
    const both = await this.each((n) => this.bothOf(`both ${n}`, shared, people[n].hundred));
    await this.settled();

    const diagnosed = await this.each(async (n) => (await this.matched(suspects[n].one)) ?? 0);
    const hundreds = await this.each(async (n) =>
      meanOf(await inTurn(suspects[n].hundreds, async (id) => (await this.size(id)) ?? 50)),
    );
    const estimated = await this.each((n) =>
      this.repeated((neutral) => this.estimate(['CUSTOM_AUDIENCE', suspects[n].among], neutral)),
    );
    const isolated = await this.each((n) =>
      this.repeated((neutral) => this.estimate(...without(suspects[n].among, base), neutral)),
    );
    const male = await this.each((n) =>
      this.repeated((neutral) => this.estimate(...without(people[n].among, base), ['GENDER', '1'], neutral)),
    );
    const notMale = await this.each((n) =>
      this.repeated(
        async (neutral) => -(await this.estimate(['CUSTOM_AUDIENCE', people[n].among], ['GENDER', '2'], neutral)),
      ),
    );
    const removed = await this.each((n) =>
      this.repeated(async (neutral) => -(await this.estimate(...without(shared, people[n].among), neutral))),
    );
    const alone = await this.each((n) =>
      this.repeated(
        async (neutral) =>
          -(await this.estimate(...without(people[n].among, base), ['CUSTOM_AUDIENCE', shared, 'NE'], neutral)),
      ),
    );
    const inBoth = await this.each(async (n) => (await this.size(both[n])) ?? 50);
    return [
      {
        name: 'is a user',
        isTrue: isUser,
        attempts: [
          { by: 'diagnostics of one e-mail', scores: diagnosed },
          { by: 'sizes of 99 users and one more', scores: hundreds },
          { by: 'estimates of 300 users and one more', scores: estimated },
          { by: 'estimates of these without the 300', scores: isolated },
        ],
      },
      {
        name: 'is male',
        isTrue: isMale,
        attempts: [
          { by: 'estimates of 300 women and one more, who are women', scores: notMale },
          { by: 'estimates of these without the 300, who are men', scores: male },
        ],
      },
      {
        name: 'is in the shared audience',
        isTrue: isShared,
        attempts: [
          { by: 'estimates of it without 300 of it and one more', scores: removed },
          { by: 'estimates of these without it and the 300', scores: alone },
          { by: 'flexible audiences of it and 99 known and one more', scores: inBoth },
        ],
      },
    ];
  }

  /** An audience of another advertiser whose 400 first people the attacker knows, and half of the persons. */
  private async shareAudience(): Promise<string> {
    const owner = this.cluster.world.written[0].id;
    const people = Array.from({ length: this.targets }, (_, n) => n).filter(isShared);
    const addresses = [...Array.from({ length: 400 }, (_, n) => known(n)), ...people.map(person)];
    const id = await this.audience('Shared', addresses, owner);
    const grant = new URLSearchParams({ granted_account_id: this.account, permission_level: 'READ_ONLY' });
    await this.ask('POST', `/12/accounts/${owner}/custom_audiences/${id}/permissions?${grant.toString()}`);
    return id;
  }

  private async audience(name: string, addresses: string[], account = this.account): Promise<string> {
    const target = `/12/accounts/${account}/custom_audiences`;
    const { id } = (await this.ask('POST', `${target}?name=${encodeURIComponent(name)}`)) as { id: string };
    const users = addresses.map((address) => ({ email: [hashOf(address)] }));
    await this.ask('POST', `${target}/${id}/users`, [{ operation_type: 'Update', params: { users } }]);
    return id;
  }

  /** A flexible audience of those who are in both. */
  private async bothOf(name: string, ...ids: string[]): Promise<string> {
    const child_segments = ids.map((custom_audience_id) => ({ custom_audience_id, lookback_window: 30 }));
    const params = { name, audience_type: 'FLEXIBLE', boolean_operator: 'AND', child_segments };
    const target = `/12/batch/accounts/${this.account}/custom_audiences`;
    const [{ id }] = (await this.ask('POST', target, [{ operation_type: 'Create', params }])) as { id: string }[];
    return id;
  }

  private async matched(id: string): Promise<number | null> {
    const target = `/12/accounts/${this.account}/custom_audiences/${id}/diagnostics`;
    return ((await this.ask('GET', target)) as { persons_matched: number | null }).persons_matched;
  }

  private async size(id: string): Promise<number | null> {
    const target = `/12/accounts/${this.account}/custom_audiences/${id}`;
    return ((await this.ask('GET', target)) as { audience_size: number | null }).audience_size;
  }

  /** The middle of what is answered. */
  private async estimate(...criteria: Criterion[]): Promise<number> {
    const targeting_criteria = criteria.map(([targeting_type, targeting_value, operator_type = 'EQ']) => ({
      targeting_type,
      targeting_value,
      operator_type,
    }));
    const target = `/12/accounts/${this.account}/audience_estimate`;
    const answer = await this.ask('POST', target, { targeting_criteria });
    const { min, max } = (answer as { audience_size: { min: number; max: number } }).audience_size;
    return (min + max) / 2;
  }

  /** The mean of the same attack with criteria that nobody fulfils. */
  private async repeated(attempt: (neutral: Criterion) => Promise<number>): Promise<number> {
    const neutral = Array.from({ length: REPEATS }, (_, i): Criterion => ['BROAD_KEYWORD', `nobodysays${i}`, 'NE']);
    return meanOf(await inTurn(neutral, attempt));
  }

  /** Of every target, some at a time. */
  private async each<T>(work: (target: number) => Promise<T>): Promise<T[]> {
    const results: T[] = [];
    let next = 0;
    const worker = async () => {
      while (next < this.targets) {
        const target = next++;
        results[target] = await work(target);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return results;
  }

  private async settled(): Promise<void> {
    const began = performance.now();
    while (performance.now() - began < SETTLED_WITHIN_MS) {
      const [{ waiting }] = (await this.query(
        `SELECT count(*)::int AS waiting FROM audience_sizings WHERE "waitingSince" IS NOT NULL OR "dueAt" <= now()`,
        [],
      )) as { waiting: number }[];
      if (waiting === 0) return;
      await pause(200);
    }
    throw new Error('the audiences were not counted in time');
  }

  private async ask(method: string, target: string, body?: unknown): Promise<unknown> {
    const answer = await this.cluster.ask(method, target, body === undefined ? undefined : JSON.stringify(body));
    if (answer.status >= 300) throw new Error(`${method} ${target} was answered ${answer.status}: ${answer.body}`);
    return (JSON.parse(answer.body) as { data: unknown }).data;
  }
}

/** Who is in one audience and not in another. */
const without = (all: string, others: string): Criterion[] => [
  ['CUSTOM_AUDIENCE', all],
  ['CUSTOM_AUDIENCE', others, 'NE'],
];

/** One after another, so that as much is under way as there are targets at a time. */
async function inTurn<T, R>(items: readonly T[], work: (item: T, place: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const [place, item] of items.entries()) results.push(await work(item, place));
  return results;
}
