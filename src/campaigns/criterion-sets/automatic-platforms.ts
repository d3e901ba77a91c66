import type { EntityManager } from 'typeorm';
import { recordChanges, type TimedAuthor } from '../../accounts/change-log/change-log.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { newRow } from '../../common/db/query/new-row.js';
import type { Row } from '../../common/db/query/rows.js';
import { insert, type Write, write } from '../../common/db/query/write.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { PLATFORMS, PLATFORM_OF } from '../targeting-values/targeting-lists.js';
import { problemsOfSet, type SetCriterion } from './criterion-set.rules.js';
import { lockSets, setsOf } from './targeting-criteria.statements.js';
import { TARGETING_CRITERIA, TargetingCriterion } from './targeting-criterion.entity.js';

type LineItemRow = Row<LineItem>;

/** The platform of each app store identifier. */
const PLATFORM_BY: [identifier: 'iosAppStoreIdentifier' | 'androidAppStoreIdentifier', platform: string][] = [
  ['iosAppStoreIdentifier', PLATFORM_OF.iOS],
  ['androidAppStoreIdentifier', PLATFORM_OF.Android],
];

/** The platforms of the identifiers that a line item has now and did not have before. */
const newPlatformsOf = (item: LineItemRow, before?: LineItemRow): string[] =>
  PLATFORM_BY.flatMap(([name, platform]) => (item[name] !== null && item[name] !== before?.[name] ? [platform] : []));

const targeted = (platform: string): SetCriterion => ({
  targeting_type: 'PLATFORM',
  targeting_value: platform,
  operator_type: 'EQ',
});

const criterionOf = (item: LineItemRow, platform: string, now: Date): Row<TargetingCriterion> => ({
  accountId: item.accountId,
  lineItemId: item.id,
  campaignId: item.campaignId,
  name: PLATFORMS.at(platform)!.name,
  targetingType: 'PLATFORM',
  targetingValue: platform,
  operatorType: 'EQ',
  locationType: null,
  ...newRow(now),
});

/**
 * A new app store identifier of a line item adds the platform of its store to the targeting. For new line items this is
 * part of the same statement. For updated ones it is part of the same transaction and is skipped if it conflicts with
 * their other criteria: the platform is already targeted or excluded, or devices of it are targeted.
 */
export const newPlatforms = (account: TimedAuthor, created: readonly LineItemRow[], now: Date): Write[] =>
  storing(
    created.flatMap((item) => newPlatformsOf(item).map((platform) => criterionOf(item, platform, now))),
    account,
    now,
  );

/** The same for updated line items. They must be locked, so that no concurrent write adds criteria. */
export function targetChangedPlatforms(unit: UnitOfWork<LineItem>): void {
  unit.afterFlush(async () => {
    const wanted = new Map(
      unit.results().flatMap(({ row }): [string, { item: LineItemRow; platforms: string[] }][] => {
        const before = unit.stored.get(row.id);
        const platforms = before ? newPlatformsOf(row, before) : [];
        return platforms.length > 0 ? [[row.id, { item: row, platforms }]] : [];
      }),
    );
    if (wanted.size > 0) await addPlatforms(unit.db, unit.account, wanted, unit.now);
  });
}

async function addPlatforms(
  tx: EntityManager,
  account: TimedAuthor,
  wanted: ReadonlyMap<string, { item: LineItemRow; platforms: string[] }>,
  now: Date,
): Promise<void> {
  await lockSets(tx, account.id, wanted.keys());
  const added: Row<TargetingCriterion>[] = [];
  for await (const { lineItemId, criteria } of setsOf(tx, account.id, wanted.keys())) {
    const { item, platforms } = wanted.get(lineItemId)!;
    for (const platform of platforms) {
      const all = [...criteria, targeted(platform)];
      if (problemsOfSet(all).at(-1)!.length === 0) added.push(criterionOf(item, platform, now));
    }
  }
  await write(tx, storing(added, account, now));
}

function storing(criteria: Row<TargetingCriterion>[], account: TimedAuthor, now: Date): Write[] {
  const changes = criteria.map((criterion) => ({
    type: 'CREATE' as const,
    entity: TARGETING_CRITERIA.name,
    id: criterion.id,
    data: TARGETING_CRITERIA.snapshot(criterion),
  }));
  return [insert(TargetingCriterion, criteria), recordChanges(changes, account, now)];
}
