import { Injectable, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import type { ResourceDefinition, ResourceRow } from '../../accounts/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { AccountTimes } from '../../accounts/times/account-times.service.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS, dayOf } from '../../common/time/days.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { Resource } from '../../common/entity/resource.entity.js';
import { isAccountNotFound } from '../../common/errors/catalogue.js';
import type { TimeSource } from '../../common/time/frozen-time.js';
import { Config } from '../../config/config.js';
import { DirectoryService } from '../directory/directory.service.js';
import { AudienceSizing } from '../entities/audience-sizing.entity.js';
import { CUSTOM_AUDIENCES, CustomAudience, type ReasonNotTargetable } from '../entities/custom-audience.entity.js';
import { DO_NOT_REACH_LISTS, DoNotReachList } from '../entities/do-not-reach-list.entity.js';
import { AudiencePrivacy } from '../privacy/audience-privacy.service.js';
import { countMadeOf, type DueSizing } from './audience-sizings.statements.js';
import { AudienceSnapshots } from './audience-snapshots.service.js';

/** Computes the sizes of audiences and what depends on them. */
@Injectable()
export class AudienceSizes {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly resources: Resources,
    private readonly directory: DirectoryService,
    private readonly snapshots: AudienceSnapshots,
    private readonly privacy: AudiencePrivacy,
    private readonly times: AccountTimes,
  ) {}

  /**
   * Counts the people of a due audience and stores the size. Returns when the size changes by itself, null for never.
   * Undefined if the audience or its account is deleted, so that it is not counted again.
   */
  async resize(due: DueSizing): Promise<{ changesAt: string | null } | undefined> {
    if (!(await this.isAlive(due))) return undefined;
    const times = await this.times.of(due.accountId);
    const { size, changesAt, isFlexible } = await this.count(due, times.now());
    const reasonsNotTargetable: ReasonNotTargetable[] = size === null ? ['TOO_SMALL'] : [];
    const isStored =
      due.kind === 'CUSTOM_AUDIENCE'
        ? await this.store(due, times, CUSTOM_AUDIENCES, { reasonsNotTargetable, audienceSize: size })
        : await this.store(due, times, DO_NOT_REACH_LISTS, { reasonsNotTargetable, listSize: size });
    if (!isStored) return undefined;
    // no audience is made of flexible ones; a snapshot of an earlier release may say so, and two of each other would count forever
    if (!isFlexible) {
      const counted = { audienceIds: [due.audienceId], accountIds: [due.accountId] };
      await countMadeOf(this.db.manager, counted, this.clock.now().toISOString());
    }
    return { changesAt };
  }

  /** Stores the size. False if the audience or its account was deleted meanwhile. */
  private async store<T extends Resource>(
    { audienceId, accountId, userId, generation }: DueSizing,
    times: TimeSource,
    definition: ResourceDefinition<T>,
    state: Partial<ResourceRow<T>>,
  ): Promise<boolean> {
    try {
      return await this.resources.changeLocked(
        { id: accountId, userId, db: this.db.manager, ...times },
        definition,
        [],
        async (unit) => {
          const [audience] = await unit.lock([audienceId]);
          if (!audience) return false;
          const sizing = await rows(unit.db, AudienceSizing).where('audienceId', audienceId).getOne();
          // a snapshot was restored meanwhile: these are the people of before, and nothing counts those of now soon
          if (sizing && sizing.generation !== generation && !isPending(sizing, times.now())) return true;
          unit.update(audienceId, state);
          return true;
        },
      );
    } catch (error) {
      if (isAccountNotFound(error)) return false;
      throw error;
    }
  }

  private isAlive({ audienceId, accountId, kind }: DueSizing): Promise<boolean> {
    const { manager } = this.db;
    const entity: Type<CustomAudience | DoNotReachList> = kind === 'CUSTOM_AUDIENCE' ? CustomAudience : DoNotReachList;
    return rows(manager, entity)
      .where('accountId', accountId)
      .where('id', audienceId)
      .whereInSubquery('accountId', rows(manager, Account).where('id', accountId), 'id')
      .getExists();
  }

  /**
   * The number of valid people of an audience that count in its size, as reported to its owner: the last size, if sizes
   * carry noise.
   */
  async matched(
    { id, accountId, audienceSize }: Pick<Row<CustomAudience>, 'id' | 'accountId' | 'audienceSize'>,
    valid: number,
  ): Promise<number | null> {
    const isSandbox = await this.isOfSandbox(accountId);
    if (this.privacy.isProtected && !isSandbox) return audienceSize;
    const isEverybody = this.config.audienceMatching === 'all' || isSandbox;
    return isEverybody ? valid : (await this.directory.matchedPeople(id)).valid;
  }

  /** The reported size, null if it is too small, when it changes by itself, and whether the audience is made of others. */
  private async count({ audienceId, accountId, kind, generation }: DueSizing, at: Date) {
    const isSandbox = await this.isOfSandbox(accountId);
    const matching = this.config.audienceMatching === 'all' || isSandbox ? 'ALL' : 'DIRECTORY';
    // The people of the sandbox are fictitious.
    const sizeOf = (people: number, question: string, weights?: number) =>
      isSandbox || !this.privacy.isProtected
        ? this.privacy.exactSize(people)
        : this.privacy.size({ people, question, weights });
    const audience =
      kind === 'CUSTOM_AUDIENCE'
        ? await rows(this.db.manager, CustomAudience).where('accountId', accountId).where('id', audienceId).getOne()
        : undefined;
    if (audience?.segments) {
      const { persons, content } = await this.snapshots.sizeOf({ id: accountId }, audience.segments, matching, at);
      const question = `flexible ${JSON.stringify(audience.segments)} ${dayOf(at.getTime())} ${content}`;
      return { size: sizeOf(persons, question), changesAt: midnightAfter(at), isFlexible: true };
    }
    const weightSeed = this.privacy.weightSeed;
    const keep = kind === 'CUSTOM_AUDIENCE';
    const counted = await this.snapshots.count(
      { audienceId, accountId, generation, matching, at, weightSeed },
      { keep },
    );
    const { valid, changesAt, weights, fingerprint } = counted;
    // Copies of an audience get the same noise. Without a fingerprint all uploaded people count.
    const content = fingerprint ?? `${audienceId}/${generation}/${valid}`;
    return { size: sizeOf(valid, `audience ${content}`, weights), changesAt, isFlexible: false };
  }

  private async isOfSandbox(accountId: string): Promise<boolean> {
    const account = await rows(this.db.manager, Account).where('id', accountId).getOne();
    return account?.environment === 'sandbox';
  }
}

/** The start of the next day, when lookback windows move. */
const midnightAfter = (at: Date) => new Date((dayOf(at.getTime()) + 1) * DAY_MS).toISOString();

/** Whether a count of an audience is due, or becomes so after the uploads that it waits for. */
const isPending = ({ dueAt, waitingSince }: Row<AudienceSizing>, now: Date): boolean =>
  waitingSince !== null || (dueAt !== null && Date.parse(dueAt) <= now.getTime());
