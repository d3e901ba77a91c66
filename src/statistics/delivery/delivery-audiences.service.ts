import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AudienceEstimateService } from '../../campaigns/audience-estimate/audience-estimate.service.js';
import {
  criteriaOf,
  targetedSets,
  type DeliveredHour,
  type TargetedSet,
} from '../../campaigns/spending/servable-items.statements.js';
import { armsIn, type TestArm } from '../../campaigns/spending/test-arms.js';
import { DAY_MS } from '../../common/time/days.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { MAX_AUDIENCE, MIN_AUDIENCE, usersByTypes } from '../facts/delivery-audience.entity.js';
import { armAudienceId, usersInArm } from './test-arms.rules.js';
import { storeSizes, storedAudiences, type NewSize } from './delivery.statements.js';

/** Estimates per hour of an account: those of the others follow in the next hours. */
const MAX_ESTIMATES = 25;
/** An estimate is renewed when it is older. */
const MAX_AGE_MS = DAY_MS;
/** The age of a number that stands in for an estimate. */
const NEVER = new Date(0).toISOString();

/** The audience of a line item: its id and its number of users. */
export interface ItemAudience {
  id: string;
  users: number;
  /** The arm of an A/B test of which these users are; undefined outside of tests. */
  arm?: TestArm;
}

/** The set of criteria of a line item, and the arm of its A/B test. */
interface ArmedSet extends TargetedSet {
  arm?: TestArm;
  /** Of the users of the set, or of those in the arm. */
  audienceId: string;
}

/** The audiences of line items in an hour, and the sizes among them that are not stored yet. */
export interface PreparedAudiences {
  sets: readonly ArmedSet[];
  /** Of the stored audiences, by id. */
  users: ReadonlyMap<string, number>;
  sizes: readonly NewSize[];
}

/** Keeps the audiences that line items of accounts target, with estimates of their sizes. */
@Injectable()
export class DeliveryAudiences {
  private readonly logger = new Logger('Delivery');

  constructor(
    private readonly db: DataSource,
    private readonly estimates: AudienceEstimateService,
  ) {}

  /**
   * Prepares the audiences of the line items that can serve in an hour. Estimates at most MAX_ESTIMATES that are new or a day
   * old; another new one has the formula's number until it is its turn. Throws if a new one cannot be estimated.
   */
  async prepare(hour: DeliveredHour): Promise<PreparedAudiences> {
    const { manager } = this.db;
    const arms = await armsIn(manager, hour);
    const sets = (await targetedSets(manager, hour)).map((set): ArmedSet => {
      const arm = arms.LINE_ITEM.get(set.lineItemId) ?? arms.CAMPAIGN.get(set.campaignId);
      return { ...set, arm, audienceId: arm ? armAudienceId(set.setId, arm) : set.setId };
    });
    const bySet = new Map(sets.map((set) => [set.setId, set]));
    // in order, so that every process chooses the same ones
    const ids = [...bySet.keys()].sort();
    const parts = new Map(sets.flatMap((set) => (set.arm ? [[set.audienceId, set]] : [])));
    const stored = await storedAudiences(manager, hour.accountId, [...ids, ...parts.keys()]);
    const users = new Map(stored.map((audience) => [audience.id, audience.users]));
    const added = ids.filter((id) => !users.has(id)).map((id) => bySet.get(id)!);
    const old = stored
      .filter(({ id, estimatedAt }) => bySet.has(id) && isOld(estimatedAt, hour.end))
      .sort((one, other) => Date.parse(one.estimatedAt) - Date.parse(other.estimatedAt))
      .map(({ id }) => bySet.get(id)!);
    const sizes = added.length + old.length === 0 ? [] : await this.sizes(hour, added, old);
    return { sets, users, sizes: [...sizes, ...sizesOfParts([...parts.values()], users, sizes, hour)] };
  }

  /**
   * Stores the sizes: in the transaction of the hour, if other processes may deliver it, too. Returns the audiences by line
   * item, without line items whose criteria changed meanwhile.
   */
  async store(
    db: EntityManager,
    { accountId }: DeliveredHour,
    { sets, users, sizes }: PreparedAudiences,
  ): Promise<Map<string, ItemAudience>> {
    const kept = new Set(await storeSizes(db, accountId, sizes));
    const known = new Map([
      ...users,
      ...sizes.filter(({ id }) => kept.has(id)).map((size) => [size.id, size.users] as const),
    ]);
    return new Map(
      sets.flatMap(({ lineItemId, audienceId: id, arm }) =>
        known.has(id) ? [[lineItemId, { id, users: known.get(id)!, arm }]] : [],
      ),
    );
  }

  /** The sizes of new audiences, and new sizes of some old ones. */
  private async sizes(hour: DeliveredHour, added: readonly TargetedSet[], old: readonly TargetedSet[]) {
    const isEmpty = await this.estimates.isDirectoryEmpty();
    const turns = isEmpty ? added.length : Math.min(added.length, MAX_ESTIMATES);
    const sizes: NewSize[] = [];
    for (const [i, set] of added.entries()) {
      const estimate = isEmpty || i >= turns ? undefined : await this.estimate(hour, set);
      sizes.push(sizeOf(set, estimate, i < turns ? hour.end : NEVER));
    }
    for (const set of old.slice(0, Math.max(0, MAX_ESTIMATES - turns)))
      try {
        sizes.push(sizeOf(set, isEmpty ? undefined : await this.estimate(hour, set), hour.end));
      } catch (error) {
        this.logger.warn(
          `An audience of the account ${hour.accountId} keeps its earlier estimate: ${failureReasonOf(error)}`,
        );
      }
    return sizes;
  }

  private async estimate({ accountId }: DeliveredHour, { lineItemId }: TargetedSet): Promise<number | undefined> {
    const criteria = await criteriaOf(this.db.manager, accountId, lineItemId);
    return this.estimates.ofLineItem({ id: accountId }, criteria);
  }
}

/** True if an estimate is a day older than the hour, or later: the clock of an account may be set back. */
const isOld = (estimatedAt: string, end: string): boolean =>
  Date.parse(estimatedAt) <= Date.parse(end) - MAX_AGE_MS || Date.parse(estimatedAt) > Date.parse(end);

function sizeOf(
  { setId: id, lineItemId, types }: TargetedSet,
  estimate: number | undefined,
  estimatedAt: string,
): NewSize {
  const users = estimate === undefined ? usersByTypes(types) : Math.min(MAX_AUDIENCE, Math.max(MIN_AUDIENCE, estimate));
  return { id, lineItemId, users, estimatedAt };
}

/** The sizes of the parts of audiences in A/B tests that are not stored yet: they follow the sizes of the audiences. */
function sizesOfParts(
  parts: readonly ArmedSet[],
  stored: ReadonlyMap<string, number>,
  sizes: readonly NewSize[],
  { end: estimatedAt }: DeliveredHour,
): NewSize[] {
  const whole = new Map([...stored, ...sizes.map(({ id, users }) => [id, users] as const)]);
  return parts.flatMap(({ audienceId: id, setId, lineItemId, arm }) => {
    const users = usersInArm(arm!, whole.get(setId)!);
    return users === stored.get(id) ? [] : [{ id, lineItemId, users, estimatedAt }];
  });
}
