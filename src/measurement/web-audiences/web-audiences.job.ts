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
import { retargetedTags, visitorsOf, type ConversionVisitor, type RetargetedTag } from './web-audiences.statements.js';

/** No retries: the next job starts within a minute. */
const WEB_AUDIENCES = defineJob('web-audiences', { timeoutSeconds: 300, retries: 0 });
const EVERY_SECONDS = 60;
/** Tags in one read, and conversions in one upload. */
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

  /** A tag that fails does not delay others. */
  async keepAll(signal?: AbortSignal): Promise<void> {
    for (let last = { accountId: '', id: '' }; ;) {
      const tags = await retargetedTags(this.db.manager, last, TAGS);
      for (const tag of tags) {
        if (signal?.aborted) return;
        await this.keep(tag, signal).catch((error: unknown) =>
          this.logger.error(`The audience of the web event tag ${tag.id} is not complete: ${failureReasonOf(error)}`),
        );
      }
      if (tags.length < TAGS) return;
      last = tags.at(-1)!;
    }
  }

  private async keep(tag: RetargetedTag, signal?: AbortSignal): Promise<void> {
    const userId = await this.memberships.administrator(tag.accountId);
    const account = userId && (await this.access.find(tag.environment, tag.accountId, userId));
    if (!account) return;
    const known = tag.audienceId === null ? undefined : await this.audiences.find(account, tag.audienceId);
    if (!tag.isEnabled) {
      if (known) await this.audiences.delete(account, known.id);
      await rows(account.db, WebAudience).where('accountId', tag.accountId).where('tagId', tag.id).delete();
      return;
    }
    if (known) await this.audiences.rename(account, known, tag);
    const audience = known ?? (await this.audiences.create(account, tag));
    if (!known) await this.note(tag, audience.id, new Date(0).toISOString());
    await this.feed(account, { ...tag, fedUntil: known ? tag.fedUntil : null }, audience, signal);
  }

  /** Adds the visitors of the conversions that arrived since the last time. The next job continues when the signal aborts. */
  private async feed(
    account: ActingAccount,
    tag: RetargetedTag,
    audience: Parameters<WebAudiencesService['add']>[1],
    signal?: AbortSignal,
  ): Promise<void> {
    const until = this.clock.now().toISOString();
    let last = firstIdOf(new Date(tag.fedUntil === null ? 0 : Date.parse(tag.fedUntil) - OVERLAP_MS));
    for (;;) {
      const found = await visitorsOf(account.db, tag, last, VISITORS);
      const expiresAt = new Date(account.now().getTime() + MEMBER_DAYS * DAY_MS);
      await this.audiences.add(account, audience, found.flatMap(personOf), expiresAt);
      if (found.length < VISITORS) break;
      last = found.at(-1)!.id;
      await this.note(tag, audience.id, timeOfId(last).toISOString());
      if (signal?.aborted) return;
    }
    await this.note(tag, audience.id, until);
  }

  private async note({ accountId, id: tagId }: RetargetedTag, audienceId: string, fedUntil: string): Promise<void> {
    const row = { accountId, tagId, audienceId, fedUntil };
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
