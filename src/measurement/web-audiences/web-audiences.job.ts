import { hash as digest } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { MembershipsService } from '../../accounts/access/memberships.service.js';
import { WebAudiencesService, type Visitor } from '../../audiences/web-audiences/web-audiences.service.js';
import { rows } from '../../common/db/query/rows.js';
import { insertOrUpdate, write } from '../../common/db/query/write.js';
import { firstIdOf, timeOfId } from '../../common/entity/ids.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { failureReasonOf } from '../../common/jobs/reason.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { DIRECTORY_IDENTIFIERS } from '../conversions/conversion.entity.js';
import { conversionKeyOf } from '../conversions/conversion.rules.js';
import { WebAudience } from '../entities/web-audience.entity.js';
import {
  claimDue,
  visitLater,
  visitorsOf,
  type ConversionVisitor,
  type RetargetedTag,
} from './web-audiences.statements.js';

/** No retries: the next job starts within a minute. */
const WEB_AUDIENCES = defineJob('web-audiences', { timeoutSeconds: 300, retries: 0 });
const EVERY_SECONDS = 60;
/** An audience without new visitors is looked at this often: a restored snapshot may have put it back. */
const IDLE_MS = 3_600_000;
/** Audiences in one read, and conversions in one upload. */
const TAGS = 200;
const VISITORS = 2_000;
/** How long a visitor is in the audience after a conversion. */
const MEMBER_DAYS = 90;
/** Conversions of other replicas may be stored after later ones: these are looked at again. Adding a visitor again changes nothing. */
const OVERLAP_MS = 60_000;

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
    const [now, again, later] = [0, EVERY_SECONDS * 1_000, IDLE_MS].map((ms) =>
      new Date(this.clock.ms() + ms).toISOString(),
    );
    for (let due = TAGS; due === TAGS && !signal?.aborted;) {
      const tags = await claimDue(this.db.manager, { now, again, limit: TAGS });
      for (const tag of tags) {
        if (signal?.aborted) return;
        try {
          if (await this.keep(tag, signal)) await visitLater(this.db.manager, tag, { again, later });
        } catch (error) {
          this.logger.error(`The audience of the web event tag ${tag.id} is not complete: ${failureReasonOf(error)}`);
        }
      }
      due = tags.length;
    }
  }

  /** Returns whether nothing is expected for a while. */
  private async keep(tag: RetargetedTag, signal?: AbortSignal): Promise<boolean> {
    if (tag.clockAdvancing) return false;
    const userId = await this.memberships.administrator(tag.accountId);
    const account = userId && (await this.access.find(tag.environment, tag.accountId, userId));
    if (!account) return true;
    const known = tag.audienceId === null ? undefined : await this.audiences.find(account, tag.audienceId);
    if (!tag.isEnabled) {
      if (known) await this.audiences.delete(account, known.id);
      await rows(account.db, WebAudience).where('accountId', tag.accountId).where('tagId', tag.id).delete();
      return true;
    }
    if (known) await this.audiences.rename(account, known, tag);
    const audience = known ?? (await this.audiences.create(account, tag));
    if (!known) await this.note(tag, audience.id, new Date(0).toISOString());
    return this.feed(account, known ? tag : { ...tag, fedUntil: new Date(0).toISOString() }, audience, signal);
  }

  /**
   * Adds the visitors of the conversions that arrived since the last time; returns whether there were none. The next job continues
   * when the signal aborts.
   */
  private async feed(
    account: ActingAccount,
    tag: RetargetedTag,
    audience: Parameters<WebAudiencesService['add']>[1],
    signal?: AbortSignal,
  ): Promise<boolean> {
    const until = this.clock.now().toISOString();
    let last = firstIdOf(new Date(Math.max(0, Date.parse(tag.fedUntil) - OVERLAP_MS)));
    for (let isIdle = true; ; isIdle = false) {
      const found = await visitorsOf(account.db, tag, last, VISITORS);
      const expiresAt = new Date(account.now().getTime() + MEMBER_DAYS * DAY_MS);
      await this.audiences.add(account, audience, found.flatMap(personOf), expiresAt);
      if (found.length < VISITORS) {
        await this.note(tag, audience.id, until);
        return isIdle && found.length === 0;
      }
      last = found.at(-1)!.id;
      await this.note(tag, audience.id, timeOfId(last).toISOString());
      if (signal?.aborted) return false;
    }
  }

  private async note({ accountId, id: tagId }: RetargetedTag, audienceId: string, fedUntil: string): Promise<void> {
    const row = { accountId, tagId, audienceId, fedUntil, visitAt: fedUntil };
    await write(this.db.manager, [insertOrUpdate(WebAudience, [row], ['audienceId', 'fedUntil'])]);
  }
}

/** The person as uploads have it; none if nothing identifies it. */
function personOf({ identifiers, userId }: ConversionVisitor): Visitor[] {
  const visitor: Visitor = userId === null ? {} : { platform_id: [digest('sha256', userId, 'hex')] };
  for (const { identifier, kind } of DIRECTORY_IDENTIFIERS) {
    const prefix = conversionKeyOf(identifier, '');
    const hashes = identifiers.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
    if (hashes.length > 0) visitor[kind] = hashes;
  }
  return Object.keys(visitor).length > 0 ? [visitor] : [];
}
