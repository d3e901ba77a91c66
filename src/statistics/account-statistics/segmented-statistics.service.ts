import { Injectable } from '@nestjs/common';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { AudienceAccessService } from '../../audiences/audience-permissions/audience-access.service.js';
import { LocationIds } from '../../audiences/locations/location-ids.service.js';
import { locationAt } from '../../audiences/locations/locations.js';
import { User } from '../../auth/credentials/user.entity.js';
import { groupedBy } from '../../common/values/grouped.js';
import { runInSlices } from '../../common/concurrency/in-slices.js';
import { rows } from '../../common/db/query/rows.js';
import { DeliveryAudience, type AudienceCriterion } from '../facts/delivery-audience.entity.js';
import { halvesOf, wholeDaysOf, type DeliveryRange } from '../facts/delivery-range.rules.js';
import { CellDivider } from './cell-divider.js';
import { cellsOf, itemsOf, type CellRow, type DeliveringItem } from './cells.statements.js';
import type { FactColumn, StatisticsSegment, Series, StatisticsEntity } from './metrics.js';
import { criteriaFor, sortedByKey, segmentProfile } from './segment-profile.rules.js';
import { prepared, SegmentedCounts, type PreparedProfile } from './segmented-counts.js';
import type { Segmentation } from './segmentation.js';

/** The statistics to divide. */
export interface AskedSegments {
  entity: StatisticsEntity;
  /** Existing entities, each once. */
  ids: readonly string[];
  placement: string;
  timezone: string;
  /** The beginnings of the units of time and the end of the last one, in milliseconds. */
  bounds: readonly number[];
  /** True if no unit has a part of a local day only, but at the edges. */
  hasDays: boolean;
  columns: readonly FactColumn[];
  segmentation: Segmentation;
}

/** The amounts in memory at the same time. */
export interface ReadLimits {
  /** Line items in a list, and those whose rows are read together. */
  list: number;
  items: number;
  /** Rows in one read. A read that finds more is divided. */
  rows: number;
  /** Audiences whose segments are kept for the next rows. */
  profiles: number;
}
const LIMITS: ReadLimits = { list: 1_000, items: 25, rows: 20_000, profiles: 200 };
/** Names in one read. */
const NAMES_AT_ONCE = 1_000;

const PROMOTED: ReadonlySet<StatisticsEntity> = new Set(['MEDIA_CREATIVE', 'PROMOTED_ACCOUNT', 'PROMOTED_POST']);

/** Divides what entities delivered among segments of their audiences. */
@Injectable()
export class SegmentedStatistics {
  constructor(
    private readonly audiences: AudienceAccessService,
    private readonly locationIds: LocationIds,
  ) {}

  /** The counts of each entity by segment, one entity after the other, in the order of the ids. */
  async *each(account: AccountReader, asked: AskedSegments, limits = LIMITS): AsyncGenerator<Series> {
    const reading = new Reading(account, asked, limits);
    let place = 0;
    const ended = () => this.seriesOf(account, asked, asked.ids[place++], reading);
    for await (const items of reading.items())
      for await (const id of reading.entitiesOf(items)) {
        // those before it are complete
        while (asked.ids[place] !== id) yield await ended();
        await reading.add(id);
      }
    while (place < asked.ids.length) yield await ended();
  }

  private async seriesOf(
    account: AccountReader,
    { segmentation }: AskedSegments,
    id: string,
    reading: Reading,
  ): Promise<Series> {
    const parts = (await reading.take(id)).all();
    const segments = parts.map(({ segment }) => segment!);
    await this.nameAll(account, segmentation, segments);
    this.namePlaces(segmentation, segments);
    return { id, parts: parts.sort((one, other) => sortedByKey(one.segment!, other.segment!)) };
  }

  /** Gives places the values of this store, and metros the code and name of their market area. They were divided by others. */
  private namePlaces({ type }: Segmentation, segments: readonly StatisticsSegment[]): void {
    if (type !== 'LOCATIONS' && type !== 'METROS') return;
    for (const segment of segments) {
      const place = locationAt(segment.value!)!;
      if (type === 'LOCATIONS') segment.value = this.locationIds.of(place);
      else [segment.name, segment.value] = [place.marketArea!.name, place.marketArea!.code];
    }
  }

  /** Names segments whose values are ids. What is gone keeps its id. */
  private async nameAll(
    account: AccountReader,
    { type }: Segmentation,
    segments: readonly StatisticsSegment[],
  ): Promise<void> {
    if (type !== 'AUDIENCES' && type !== 'SIMILAR_TO_FOLLOWERS_OF_USER') return;
    const byValue = new Map(segments.map((segment) => [segment.value!, segment]));
    const values = [...byValue.keys()];
    for (let from = 0; from < values.length; from += NAMES_AT_ONCE) {
      const ids = values.slice(from, from + NAMES_AT_ONCE);
      if (type === 'AUDIENCES')
        for (const { id, name } of await this.audiences.visibleTo(account).withDeleted().whereIn('id', ids).getMany())
          byValue.get(id)!.name = name;
      else
        for (const { id, username } of await rows(account.db, User).whereIn('id', ids).getMany())
          byValue.get(id)!.name = `@${username}`;
    }
  }
}

/** One read: the counts of the entities that are not complete yet, and the segments of the last audiences. */
class Reading {
  private readonly counts = new Map<string, SegmentedCounts>();
  /** By audience, and by the criteria that matter. */
  private readonly profiles = new Map<string, PreparedProfile | undefined>();
  private readonly prepared = new Map<string, PreparedProfile | undefined>();
  private readonly divider: CellDivider;
  /** The rows that are read and not added yet. */
  private rows: readonly CellRow[] = [];

  constructor(
    private readonly account: AccountReader,
    private readonly asked: AskedSegments,
    private readonly limits: ReadLimits,
  ) {
    this.divider = new CellDivider({ ...asked, type: asked.segmentation.type });
  }

  /** The line items of the entities, a few at a time, in the order of the entities. */
  async *items(): AsyncGenerator<DeliveringItem[]> {
    if (this.asked.columns.length === 0) return;
    for await (const page of this.pagesOfItems())
      for (let from = 0; from < page.length; from += this.limits.items)
        yield page.slice(from, from + this.limits.items);
  }

  private async *pagesOfItems(): AsyncGenerator<DeliveringItem[]> {
    const { entity, ids } = this.asked;
    if (entity === 'LINE_ITEM') return void (yield ids.map((id) => ({ id, lineItemId: id })));
    const asked = { accountId: this.account.id, entity, ids };
    let page: DeliveringItem[] | undefined;
    do {
      page = await itemsOf(this.account.db, asked, page?.at(-1), this.limits.list, this.account);
      yield page;
    } while (page.length === this.limits.list);
  }

  /** Reads what line items delivered, and returns whose it is, in the order of the entities, before each `add`. */
  async *entitiesOf(items: readonly DeliveringItem[]): AsyncGenerator<string> {
    const { bounds, timezone, hasDays } = this.asked;
    const isPromoted = PROMOTED.has(this.asked.entity);
    const { days, ...range } = wholeDaysOf(bounds[0], bounds[bounds.length - 1], timezone);
    for await (const found of this.cells(items, hasDays ? { ...range, days } : range)) {
      await this.prepare(found);
      const owned = groupedBy(found, (row) => (isPromoted ? row.promotedId : row.lineItemId));
      for (const { id, lineItemId } of items) {
        this.rows = owned.get(isPromoted ? id : lineItemId) ?? [];
        if (this.rows.length > 0) yield id;
      }
    }
  }

  /** Adds the rows that were read of an entity. */
  async add(id: string): Promise<void> {
    const counts = this.countsOf(id);
    for (const [profile, rows] of groupedBy(this.rows, ({ audienceId }) => this.profiles.get(audienceId)))
      if (profile) await runInSlices(this.divider.divide(this.divider.cellsOf(rows), profile, counts));
  }

  /** Takes the counts of an entity after all its line items. */
  async take(id: string): Promise<SegmentedCounts> {
    await runInSlices(this.divider.end());
    const counts = this.countsOf(id);
    this.counts.delete(id);
    return counts;
  }

  /** Whole cells: a read with too many rows is repeated for fewer line items, then for fewer days. */
  private async *cells(items: readonly DeliveringItem[], range: DeliveryRange): AsyncGenerator<CellRow[]> {
    const { entity, placement, timezone } = this.asked;
    const halves = items.length > 1 ? undefined : halvesOf(range, timezone);
    const isLast = items.length === 1 && !halves;
    const asked = {
      ...{ accountId: this.account.id, range, placement, columns: this.divider.columns },
      lineItemIds: [...new Set(items.map(({ lineItemId }) => lineItemId))],
      ...(PROMOTED.has(entity) && { promotedIds: items.map(({ id }) => id) }),
    };
    const found = await cellsOf(this.account.db, asked, isLast ? undefined : this.limits.rows + 1, this.account);
    if (isLast || found.length <= this.limits.rows) return void (yield found);
    if (halves) for (const half of halves) yield* this.cells(items, half);
    else {
      const middle = items.length >> 1;
      yield* this.cells(items.slice(0, middle), range);
      yield* this.cells(items.slice(middle), range);
    }
  }

  /** Prepares the segments of the audiences of rows. An unknown audience is everybody. */
  private async prepare(found: readonly CellRow[]): Promise<void> {
    const ids = new Set(found.map(({ audienceId }) => audienceId));
    const unknown = [...ids].filter((id) => !this.profiles.has(id));
    if (unknown.length === 0) return;
    if (this.profiles.size + unknown.length > this.limits.profiles)
      for (const id of this.profiles.keys()) if (!ids.has(id)) this.profiles.delete(id);
    const criteria = new Map<string, readonly AudienceCriterion[]>();
    const stored = unknown.filter((id) => id !== '');
    if (stored.length > 0) {
      const audiences = rows(this.account.db, DeliveryAudience).where('accountId', this.account.id);
      for (const audience of await audiences.whereIn('id', stored).getMany())
        criteria.set(audience.id, audience.criteria);
    }
    for (const id of unknown) this.profiles.set(id, this.profileOf(criteria.get(id) ?? []));
  }

  /** Audiences with the same criteria of the types that matter have the same profile. */
  private profileOf(criteria: readonly AudienceCriterion[]): PreparedProfile | undefined {
    const { segmentation } = this.asked;
    const own = criteriaFor(segmentation.type, criteria);
    const key = JSON.stringify(own);
    if (this.prepared.has(key)) return this.prepared.get(key);
    if (this.prepared.size >= this.limits.profiles) this.prepared.clear();
    const profile = prepared(segmentProfile(own, segmentation));
    this.prepared.set(key, profile);
    return profile;
  }

  private countsOf(id: string): SegmentedCounts {
    let counts = this.counts.get(id);
    if (!counts) {
      counts = new SegmentedCounts(this.asked.columns, this.asked.bounds.length - 1);
      this.counts.set(id, counts);
    }
    return counts;
  }
}
