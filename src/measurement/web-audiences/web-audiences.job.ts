import { hash as digest } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { MembershipsService } from '../../accounts/access/memberships.service.js';
import { MAX_IDENTIFIERS } from '../../audiences/audience-users/users.readers.js';
import type { CustomAudience } from '../../audiences/entities/custom-audience.entity.js';
import { WebAudiencesService, type Visitor } from '../../audiences/web-audiences/web-audiences.service.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { firstIdOf, timeOfId } from '../../common/entity/ids.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { DIRECTORY_IDENTIFIERS } from '../conversions/conversion.entity.js';
import { conversionKeyOf } from '../conversions/conversion.rules.js';
import { WebAudience } from '../entities/web-audience.entity.js';
import { WebEventTag } from '../entities/web-event-tag.entity.js';
import {
  claimDue,
  visitAgain,
  visitorsOf,
  type ConversionVisitor,
  type RetargetedTag,
} from './web-audiences.statements.js';

/** No retries: the next job starts within a minute. */
const WEB_AUDIENCES = defineJob('web-audiences', { timeoutSeconds: 300, retries: 0 });
/** No other run takes an audience while one may still have it. */
const TAKEN_MS = 330_000;
const EVERY_SECONDS = 60;
/** An audience without new visitors is looked at this often: a restored snapshot may have put it back. */
const IDLE_MS = 3_600_000;
/** Audiences in one read, and conversions in one read. */
const TAGS = 200;
const CONVERSIONS = 2_000;
/** How long a visitor is in the audience after a conversion. */
const MEMBER_DAYS = 90;
/**
 * Conversions of other replicas may be stored after later ones. They wait this long, so that each one is added once, except after a
 * run that was interrupted: `frequency` of segments counts how often a visitor is added.
 */
const SETTLED_MS = 60_000;

/** The audience of a tag, and the time until which the visitors of conversions are in it. */
interface FedAudience {
  audience: Row<CustomAudience>;
  fedUntil: string;
}

/** Keeps an audience for each web event tag with `retargeting_enabled`: its name, its visitors and its end. */
@Injectable()
export class WebAudiencesJob implements OnModuleInit {
  private readonly logger = new Logger('Conversions');

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly access: AccountAccessService,
    private readonly memberships: MembershipsService,
    private readonly audiences: WebAudiencesService,
  ) {}

  onModuleInit(): void {
    this.jobs.work(WEB_AUDIENCES, (_, { signal }) => this.keepAll(signal));
    this.jobs.schedule(WEB_AUDIENCES, { everySeconds: EVERY_SECONDS });
  }

  /** Looks at the audiences that are due. One that fails does not delay others. */
  async keepAll(signal?: AbortSignal): Promise<void> {
    const now = this.timeIn(0);
    for (let due = TAGS; due === TAGS && !signal?.aborted;) {
      const taken = this.timeIn(TAKEN_MS);
      const tags = await claimDue(this.db.manager, { now, taken, limit: TAGS });
      for (const tag of tags) {
        if (signal?.aborted) return;
        try {
          const next = (await this.keep(tag, signal)) ? IDLE_MS : EVERY_SECONDS * 1_000;
          await visitAgain(this.db.manager, tag, { taken, at: this.timeIn(next) });
        } catch (error) {
          this.logger.error(`The audience of the web event tag ${tag.id} is not complete: ${failureReasonOf(error)}`);
        }
      }
      due = tags.length;
    }
  }

  private timeIn(ms: number): string {
    return new Date(this.clock.ms() + ms).toISOString();
  }

  /** Returns whether nothing is expected for a while. */
  private async keep(tag: RetargetedTag, signal?: AbortSignal): Promise<boolean> {
    if (tag.clockAdvancing) return false;
    const userId = await this.memberships.administrator(tag.accountId);
    const account = userId && (await this.access.find(tag.environment, tag.accountId, userId));
    if (!account) return true;
    const known = tag.audienceId === null ? undefined : await this.audiences.find(account, tag.audienceId);
    const isCurrent = tag.isEnabled && known && this.audiences.isNamedAfter(known, tag);
    const fed = isCurrent ? { audience: known, fedUntil: tag.fedUntil } : await this.follow(account, tag.id);
    return !fed || this.feed(account, tag, fed, signal);
  }

  /**
   * Creates, renames or deletes the audience of a tag, as both are now; returns the one that exists then. Another run looks at the
   * same tag if this one takes longer than a minute: the lock has one of them decide after the other.
   */
  private follow(account: ActingAccount, tagId: string): Promise<FedAudience | undefined> {
    const work = async (tx: EntityManager): Promise<FedAudience | undefined> => {
      const ofTag = () => rows(tx, WebAudience).where('accountId', account.id).where('tagId', tagId);
      const stored = await ofTag().setLock('for_no_key_update').getOne();
      if (!stored) return undefined;
      const { audienceId, fedUntil } = stored;
      const acting = { ...account, db: tx };
      const tag = await rows(tx, WebEventTag).where('accountId', account.id).where('id', tagId).getOne();
      const known = audienceId === null ? undefined : await this.audiences.find(acting, audienceId);
      if (!tag?.retargetingEnabled) {
        if (known) await this.audiences.delete(acting, known.id);
        await ofTag().delete();
        return undefined;
      }
      if (known) {
        await this.audiences.rename(acting, known, tag);
        return { audience: known, fedUntil };
      }
      const created = { audience: await this.audiences.create(acting, tag), fedUntil: new Date(0).toISOString() };
      await ofTag().update({ audienceId: created.audience.id, fedUntil: created.fedUntil });
      return created;
    };
    return retrying(() => inTransactionFor(this.db.manager, account.id, work, { autosave: true }));
  }

  /**
   * Adds the visitors of the conversions that arrived since the last time, and are older than SETTLED_MS; returns whether there
   * were none, older or not. The next job continues when the signal aborts.
   */
  private async feed(
    account: ActingAccount,
    tag: RetargetedTag,
    { audience, fedUntil }: FedAudience,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const settledAt = new Date(this.clock.ms() - SETTLED_MS);
    const settled = firstIdOf(settledAt);
    let last = firstIdOf(new Date(fedUntil));
    let noted = new Date(fedUntil);
    /**
     * False if the audience is no longer that of the tag, or another run has fed it meanwhile, as it may when a run takes long: that
     * one continues.
     */
    const note = async (until: Date): Promise<boolean> => {
      // never back: an earlier release noted the time itself
      if (until <= noted) return true;
      const ours = await rows(this.db.manager, WebAudience)
        .where('accountId', tag.accountId)
        .where('tagId', tag.id)
        .where('audienceId', audience.id)
        .where('fedUntil', noted.toISOString())
        .update({ fedUntil: until.toISOString() });
      noted = until;
      return ours.length > 0;
    };
    for (let isIdle = true; ;) {
      const next = await visitorsOf(account.db, tag, last, CONVERSIONS);
      const expiresAt = new Date(account.now().getTime() + MEMBER_DAYS * DAY_MS);
      const visitors = next.visitors.filter(({ id }) => id <= settled);
      await this.audiences.add(account, audience, visitors.flatMap(personOf), expiresAt);
      isIdle &&= next.visitors.length === 0;
      if (next.last === undefined || next.last > settled) {
        const isOurs = await note(settledAt);
        return isOurs && isIdle && next.last === undefined;
      }
      last = next.last;
      if (!(await note(timeOfId(last))) || signal?.aborted) return false;
    }
  }
}

/** The person as uploads have it; none if nothing identifies it. */
function personOf({ identifiers, userId }: ConversionVisitor): Visitor[] {
  const visitor: Visitor = userId === null ? {} : { platform_id: [digest('sha256', userId, 'hex')] };
  let room = MAX_IDENTIFIERS - 1;
  for (const { identifier, kind } of DIRECTORY_IDENTIFIERS) {
    const prefix = conversionKeyOf(identifier, '');
    const named = identifiers.filter((each) => each.startsWith(prefix)).slice(0, room);
    room -= named.length;
    if (named.length > 0) visitor[kind] = named.map((each) => each.slice(prefix.length));
  }
  return Object.keys(visitor).length > 0 ? [visitor] : [];
}
