import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AudienceEstimateService } from '../../campaigns/audience-estimate/audience-estimate.service.js';
import {
  criteriaOf,
  targetedSets,
  type DeliveredHour,
  type TargetedSet,
} from '../../campaigns/spending/servable-items.statements.js';
import { DAY_MS } from '../../common/time/days.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { MAX_AUDIENCE, MIN_AUDIENCE, usersByTypes } from '../facts/delivery-audience.entity.js';
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
}

/** The audiences of line items in an hour, and the sizes among them that are not stored yet. */
export interface PreparedAudiences {
  sets: readonly TargetedSet[];
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
    const sets = await targetedSets(manager, hour);
    const bySet = new Map(sets.map((set) => [set.setId, set]));
    // in order, so that every process chooses the same ones
    const ids = [...bySet.keys()].sort();
    const stored = await storedAudiences(manager, hour.accountId, ids);
    const users = new Map(stored.map((audience) => [audience.id, audience.users]));
    const added = ids.filter((id) => !users.has(id)).map((id) => bySet.get(id)!);
    const old = stored
      .filter(({ estimatedAt }) => isOld(estimatedAt, hour.end))
      .sort((one, other) => Date.parse(one.estimatedAt) - Date.parse(other.estimatedAt))
      .map(({ id }) => bySet.get(id)!);
    return { sets, users, sizes: added.length + old.length === 0 ? [] : await this.sizes(hour, added, old) };
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
      sets.flatMap(({ lineItemId, setId: id }) => (known.has(id) ? [[lineItemId, { id, users: known.get(id)! }]] : [])),
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
