import { hash as digest, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { retrying, whenUnlocked } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { inTransactionFor } from '../../common/db/query/statement.js';
import { newId } from '../../common/entity/ids.js';
import { ApiErrors, type ApiError } from '../../common/errors/api-error.js';
import { invalid, notFound, storageQuotaExceeded } from '../../common/errors/catalogue.js';
import { notifyWorkers } from '../../common/jobs/enqueue.js';
import { Metrics } from '../../common/metrics/metrics.js';
import type { QuotaUsage } from '../../common/storage/storage-quotas.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS, dayOf } from '../../common/time/days.js';
import { FrozenTime } from '../../common/time/frozen-time.js';
import { Config } from '../../config/config.js';
import { pixelIdOf } from '../entities/pixel-id.js';
import type { PixelAccount } from '../entities/pixel-account.js';
import { WebEventTag } from '../entities/web-event-tag.entity.js';
import {
  Conversion,
  ConversionKey,
  ConversionToMatch,
  MATCHED_BY,
  type ConversionMatch,
  type ReceivedConversion,
} from './conversion.entity.js';
import { eventOf, readConversion, type EventRef, type ReadConversion } from './conversion.rules.js';
import {
  countedConversions,
  isConversionQuotaExceeded,
  noteTracked,
  storeConversions,
  type NewConversion,
} from './conversions.statements.js';

/** The age of a conversion that is still accepted, and how far a clock may be ahead. */
const MAX_AGE_MS = 90 * DAY_MS;
const MAX_AHEAD_MS = 5 * 60_000;
/** `last_tracked_at` of a tag changes at most this often, so that conversions do not wait for its row. */
const TRACKED_EVERY_MS = 60_000;

/** Wakes the matching of the process that stored conversions. */
export const CONVERSIONS_CHANNEL = { name: 'conversions' };

/** What happened to the conversions of a request. */
export interface ProcessedConversions {
  processed: number;
  debugId: string;
  /** How many are no duplicates, and the ids that they have if they are stored. */
  stored: number;
  ids: string[];
}

type PixelDatabase = Pick<PixelAccount, 'id' | 'db'>;

/** Stores conversions that servers send to the pixel of an account. */
@Injectable()
export class ConversionsService {
  private readonly count: (of: { outcome: string }, by: number) => void;

  constructor(
    private readonly db: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.count = metrics.counter('conversions_total', 'Conversions that were accepted, by outcome', ['outcome']);
  }

  /** The conversions that an account received last, the newest first. */
  async latest(account: PixelDatabase, limit: number): Promise<ReceivedConversion[]> {
    const found = rows(account.db, Conversion).where('accountId', account.id).orderBy('id', 'DESC').limit(limit);
    return this.withMatches(account, await found.getMany());
  }

  /** One conversion of an account; 404 for any other. */
  async get(account: PixelDatabase, id: string): Promise<ReceivedConversion> {
    const found = await rows(account.db, Conversion).where('accountId', account.id).where('id', id).getOne();
    if (!found) throw notFound('Conversion', 'received_conversion_id', id, account.id);
    return (await this.withMatches(account, [found]))[0];
  }

  /** The conversion of which another one with this `conversion_id` is a duplicate. */
  async first(account: PixelDatabase, eventId: string, conversionId: string): Promise<ReceivedConversion> {
    const event = eventOf(eventId, pixelIdOf(account.id));
    const tagId = 'tagId' in event ? event.tagId : '';
    const key = await rows(account.db, ConversionKey)
      .where('accountId', account.id)
      .where('tagId', tagId)
      .where('key', Buffer.from(keyOf(conversionId), 'hex'))
      .getOne();
    return this.get(account, key?.firstId ?? '');
  }

  private async withMatches(account: PixelDatabase, found: readonly Row<Conversion>[]): Promise<ReceivedConversion[]> {
    if (found.length === 0) return [];
    const { db, id: accountId } = account;
    const ids = found.map(({ id }) => id);
    const waiting = await rows(db, ConversionToMatch).where('accountId', accountId).whereIn('id', ids).getMany();
    // after the queue: one that was matched meanwhile is attributed, not unmatched
    const conversions = await rows(db, Conversion)
      .where('accountId', accountId)
      .whereIn('id', ids)
      .orderBy('id', 'DESC')
      .getMany();
    const tagIds = [...new Set(conversions.flatMap(({ tagId }) => tagId ?? []))];
    const conversionIds = conversions.flatMap(({ conversionId }) => conversionId ?? []);
    const [keys, tags] = await Promise.all([
      rows(db, ConversionKey)
        .where('accountId', accountId)
        .whereIn('tagId', tagIds)
        .whereIn(
          'key',
          conversionIds.map((each) => Buffer.from(keyOf(each), 'hex')),
        )
        .getMany(),
      rows(db, WebEventTag).withDeleted().where('accountId', accountId).whereIn('id', tagIds).getMany(),
    ]);
    const byFirst = new Map(keys.map((key) => [key.firstId, key]));
    const byId = new Map(tags.map((tag) => [tag.id, tag]));
    const waits = new Set(waiting.map(({ id }) => id));
    return conversions.map((conversion) => ({
      conversion,
      match: matchOf(conversion, byId.get(conversion.tagId ?? ''), waits.has(conversion.id)),
      key: byFirst.get(conversion.id),
    }));
  }

  /** Stores one conversion in the form in which servers send it. */
  receiveOne(account: PixelAccount, sent: object): Promise<ProcessedConversions> {
    return this.receive(account, [readConversion(sent, 'conversion')]);
  }

  /** Stores all conversions, or none. */
  async receive(account: PixelAccount, conversions: readonly ReadConversion[]): Promise<ProcessedConversions> {
    const now = account.now();
    const { events, tags } = await this.eventsOf(account, conversions);
    const errors = conversions.flatMap((each, i) => [...each.errors, ...problemsOf(each, events[i], now)]);
    if (errors.length > 0) throw new ApiErrors(errors);
    let given: NewConversion[] = [];
    const quota = { max: this.quota, ...this.daysKept() };
    const stored = await performed(account, (db) => {
      // with new ids at each attempt: another replica may have made the same ones
      given = conversions.map((each, i) => newConversion(each, events[i] as EventRef, now));
      return storeConversions(db, account.id, given, now.toISOString(), quota);
    }).catch(async (error: unknown) => {
      throw isConversionQuotaExceeded(error) ? await this.quotaExceeded(account) : error;
    });
    const unmatched = given.filter(({ tagId }) => tagId === null).length;
    this.count({ outcome: 'stored' }, stored - unmatched);
    this.count({ outcome: 'unmatched' }, unmatched);
    this.count({ outcome: 'duplicate' }, given.length - stored);
    await this.noteTracked(account, tags, now);
    notifyWorkers(account.db, CONVERSIONS_CHANNEL);
    return { processed: given.length, debugId: randomUUID(), stored, ids: given.map(({ id }) => id) };
  }

  /** How many conversions an account stores, and may store; null when unlimited. */
  async usageOf(accountId: string, db = this.db.manager): Promise<QuotaUsage> {
    const used = await countedConversions(db, accountId, this.daysKept());
    return { used, limit: this.config.storageQuotas.CONVERSIONS || null };
  }

  private get quota(): number {
    return this.config.storageQuotas.CONVERSIONS || Number.MAX_SAFE_INTEGER;
  }

  private daysKept() {
    return { today: dayOf(this.clock.ms()), daysKept: this.config.conversionDays };
  }

  private async quotaExceeded({ id, db }: PixelDatabase): Promise<ApiError> {
    const { used, limit } = await this.usageOf(id, db);
    return storageQuotaExceeded(
      `Account ${id} stores ${used} of at most ${limit} conversions, and this request would exceed the limit`,
      'MAX_CONVERSIONS_PER_ACCOUNT is the limit; conversions are removed after CONVERSION_DAYS, or ask the operator to raise it',
    );
  }

  /** The event of each conversion, undefined if it names none, or none that the account has; and the tags of the events. */
  private async eventsOf(
    account: PixelAccount,
    conversions: readonly ReadConversion[],
  ): Promise<{ events: (EventRef | undefined)[]; tags: Row<WebEventTag>[] }> {
    const pixel = pixelIdOf(account.id);
    const events = conversions.map(({ eventId }) => (eventId === undefined ? undefined : eventOf(eventId, pixel)));
    const named = new Set(events.flatMap((event) => (event && 'tagId' in event ? event.tagId : [])));
    if (named.size === 0) return { events, tags: [] };
    const tags = await rows(account.db, WebEventTag)
      .where('accountId', account.id)
      .whereIn('id', [...named])
      .getMany();
    const known = new Set(tags.map(({ id }) => id));
    return {
      events: events.map((event) => (event && 'tagId' in event && !known.has(event.tagId) ? undefined : event)),
      tags,
    };
  }

  /** Notes the time of the tags. A test clock stands still, so that its accounts note each time for their audiences. */
  private async noteTracked(account: PixelAccount, tags: readonly Row<WebEventTag>[], now: Date): Promise<void> {
    const isDue = ({ lastTrackedAt: last }: Row<WebEventTag>) =>
      last === null || now instanceof FrozenTime || Math.abs(Date.parse(last) - now.getTime()) >= TRACKED_EVERY_MS;
    const due = tags.filter(isDue).map(({ id }) => id);
    if (due.length === 0) return;
    const at = { now: now.toISOString(), serviceTime: this.clock.now().toISOString() };
    await performed(account, (db) => noteTracked(db, account.id, due.sort(), at));
  }
}

/**
 * Performs a write, again after a failure that passes. Within the transaction of a request each attempt has a savepoint: without
 * one, every statement after a failure is rejected.
 */
function performed<R>({ id, db }: PixelDatabase, work: (db: EntityManager) => Promise<R>): Promise<R> {
  const attempt = () => (db.queryRunner ? inTransactionFor(db, id, work) : work(db));
  return retrying(() => whenUnlocked(attempt));
}

/** Problems that depend on the account and the time. */
function problemsOf(
  { eventId, convertedAt, place }: ReadConversion,
  event: EventRef | undefined,
  now: Date,
): ApiError[] {
  const problems: ApiError[] = [];
  if (eventId !== undefined && event === undefined)
    problems.push(
      invalid('event_id', `${place}.event_id is not the id of a single event tag of this pixel`, { value: eventId }),
    );
  else if (event && 'foreign' in event) problems.push(notFound('Event', 'event_id', eventId!, 'of this pixel'));
  const age = convertedAt === undefined ? 0 : now.getTime() - convertedAt;
  if (age > MAX_AGE_MS || age < -MAX_AHEAD_MS) {
    const sent = new Date(convertedAt!).toISOString();
    problems.push(
      invalid('conversion_time', `Expected a time of the last 90 days, got "${sent}" for ${place}`, {
        value: sent,
        details: 'at most 90 days ago, and at most 5 minutes in the future',
      }),
    );
  }
  return problems;
}

/** The first half of the SHA-256 of a `conversion_id`, in hexadecimal. */
const keyOf = (conversionId: string): string => digest('sha256', conversionId, 'hex').slice(0, 32);

/** What a conversion is attributed to; `tag` has the windows, `isWaiting` tells that it is not matched yet. */
function matchOf(conversion: Row<Conversion>, tag: Row<WebEventTag> | undefined, isWaiting: boolean): ConversionMatch {
  const { tagId, lineItemId, matchedBy, isAfterClick: isClick, engagedAt: at } = conversion;
  if (lineItemId === null) {
    const state = tagId === null ? 'NO_TAG' : isWaiting ? 'WAITING' : 'UNATTRIBUTED';
    return { state, by: null, lineItemId, isClick, at, windowDays: null };
  }
  const windowDays = tag ? (isClick ? tag.clickWindow : tag.viewThroughWindow) : null;
  return { state: 'ATTRIBUTED', by: MATCHED_BY[matchedBy!], lineItemId, isClick, at, windowDays };
}

function newConversion(sent: ReadConversion, event: EventRef, now: Date): NewConversion {
  const tagId = 'tagId' in event ? event.tagId : null;
  const { conversionId, details } = sent;
  return {
    id: newId(now),
    tagId,
    eventName: 'eventName' in event ? event.eventName : null,
    convertedAt: new Date(sent.convertedAt!).toISOString(),
    valueMicro: sent.valueMicro,
    currency: sent.currency,
    numberItems: sent.numberItems,
    conversionId,
    details: details && JSON.stringify(details),
    identifiers: sent.identifiers,
    visitor: sent.visitor,
    key: tagId === null || conversionId === null ? null : keyOf(conversionId),
  };
}
