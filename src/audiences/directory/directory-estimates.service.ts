import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { Counter } from '../../common/db/counters/counter.entity.js';
import { rows } from '../../common/db/query/rows.js';
import { NoAnswer } from '../../common/errors/unavailable.js';
import { Semaphore, type QueueLimits } from '../../common/concurrency/semaphore.js';
import { AudienceSizing } from '../entities/audience-sizing.entity.js';
import { DoNotReachList } from '../entities/do-not-reach-list.entity.js';
import { AudiencePrivacy, type CountedPeople } from '../privacy/audience-privacy.service.js';
import { countFound, estimateMatched, type AskedSets, type EstimateCounts } from './directory-estimate.statements.js';
import { isFew, standsFor } from './directory-sample.rules.js';
import { USERS } from './directory-sample.statements.js';
import { activeAt } from './directory-activity.rules.js';
import { UserSetConditions } from './user-set-conditions.service.js';
import { canonical, wantedOf } from './user-set.rules.js';
import { MAX_SETS, type EstimatedUsers } from './user-sets.js';

/** More values than a line item can target, places within regions included. */
const MAX_VALUES = 20_000;

/** Maximum number of concurrent estimates, so that other requests get connections. */
const AT_ONCE = 2;
const PATIENCE: QueueLimits = {
  maxQueued: 50,
  timeoutMs: 2_000,
  refusal: () => new NoAnswer('Too many estimates are waiting.'),
};

/** Estimates the number of directory users in sets (`audience_estimate`). */
@Injectable()
export class DirectoryEstimatesService {
  private readonly turns = new Semaphore(AT_ONCE);

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly conditions: UserSetConditions,
    private readonly privacy: AudiencePrivacy,
  ) {}

  /**
   * The number of active users in these sets, without those on the account's do-not-reach list. It is exact if the
   * directory has at most SAMPLE_SIZE users, and if few users are found. Otherwise it comes from a fixed sample.
   * Callers must limit the input to MAX_SETS sets with MAX_VALUES values. AudiencePrivacy converts the number before
   * clients receive it.
   */
  estimate(account: { id: string }, users: EstimatedUsers): Promise<CountedPeople> {
    const sets = [...primarySets(users), ...users.groups.flat(), ...users.without];
    const values = sets.reduce((sum, set) => sum + set.values.length, 0);
    if (sets.length > MAX_SETS || values > MAX_VALUES)
      throw new RangeError(`at most ${MAX_SETS} sets with ${MAX_VALUES} values can be estimated`);
    return this.turns.run(() => this.count(account, users), PATIENCE);
  }

  /** Whether the directory has no users. */
  async isEmpty(): Promise<boolean> {
    return (await this.users()) === 0;
  }

  private async count(account: { id: string }, asking: EstimatedUsers): Promise<CountedPeople> {
    const { groups, without } = asking;
    const primary = primarySets(asking);
    const now = this.privacy.estimatedAt(this.clock.now());
    const [any, none, included, excluded, left, users] = await Promise.all([
      this.conditions.wanted(primary, now),
      this.conditions.wanted(without, now),
      this.conditions.audiences(account, primary),
      this.conditions.audiences(account, without),
      rows(this.db.manager, DoNotReachList).where('accountId', account.id).getMany(),
      this.users(),
    ]);
    const asked: AskedSets = {
      any: asking.primary === 'everybody' ? 'everybody' : any,
      audiences: included,
      all: groups.map((group) => wantedOf(group)),
      none,
      excluded: [...excluded, ...left.map(({ id }) => ({ id, madeOf: [id] }))],
      active: activeAt(now),
    };
    const named = [...asked.audiences, ...asked.excluded].flatMap(({ id, madeOf }) => [id, ...madeOf]);
    const before = await this.stateOf(named);
    const found = await this.found(asked, users);
    const matched = await estimateMatched(this.db.manager, asked);
    // A concurrent upload may or may not count, so this is a separate question.
    const content = `${before} ${await this.stateOf(named)}`;
    return {
      people: found.users + matched.users,
      question: `estimate ${now.toISOString()} ${JSON.stringify(canonical(asking))} ${content}`,
      each: Math.max(found.each, matched.each),
    };
  }

  /** Identifies a state of audiences and do-not-reach lists. Every upload changes it. */
  private async stateOf(ids: readonly string[]): Promise<string> {
    if (!this.privacy.isProtected || ids.length === 0) return '';
    const sizings = await rows(this.db.manager, AudienceSizing)
      .whereIn('audienceId', [...new Set(ids)])
      .getMany();
    const states = sizings.map(({ audienceId, generation }) => `${audienceId}/${generation}`);
    return states.toSorted().join();
  }

  /** The users found by directory data. */
  private async found(asked: AskedSets, users: number): Promise<{ users: number; each: number }> {
    const sampled = await countFound(this.db.manager, 'sample', asked);
    const isWhole = standsFor(1, users) === 1;
    const { found, stands } =
      isWhole || !isFew(sampled.candidates, users)
        ? { found: sampled, stands: standsFor(1, users) }
        : { found: await countFound(this.db.manager, 'directory', asked), stands: 1 };
    return { users: leftOf(found) * stands, each: eachOf(found) * stands };
  }

  /** The number of directory users, inactive ones included. */
  private async users(): Promise<number> {
    const counter = await rows(this.db.manager, Counter)
      .where('ownerId', USERS.ownerId)
      .where('kind', USERS.kind)
      .getOne();
    return counter?.value ?? 0;
  }
}

const primarySets = ({ primary }: EstimatedUsers) => (primary === 'everybody' ? [] : primary);

/** The estimated number of found users in no excluded audience. */
const leftOf = ({ users, asked, left }: EstimateCounts): number => (asked > 0 ? (users * left) / asked : users);

/** How much one user changes that number. A checked user represents others. */
const eachOf = ({ users, asked }: EstimateCounts): number => (asked > 0 ? Math.max(1, users / asked) : 1);
