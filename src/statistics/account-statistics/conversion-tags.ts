import type { AccountReader } from '../../accounts/access/acting-account.js';
import { rows } from '../../common/db/query/rows.js';
import { WebEventTag } from '../../measurement/entities/web-event-tag.entity.js';
import { attributedSumsOf, type AskedAttributed } from './account-statistics.statements.js';
import type { Series } from './metrics.js';
import { SegmentedCounts } from './segmented-counts.js';

/** The attributed conversions of each entity by web event tag, one entity after the other, in the order of the ids. */
export async function* seriesOfTags(account: AccountReader, asked: AskedAttributed): AsyncGenerator<Series> {
  for (const id of asked.ids) {
    const sums = await attributedSumsOf(account.db, { ...asked, ids: [id] }, account, { byTag: true });
    const names = await namesOf(account, [...new Set(sums.map(({ tagId }) => tagId))]);
    const counts = new SegmentedCounts(asked.columns, asked.bounds.length - 1);
    for (const { tagId, unit, ...columns } of sums) {
      const place = counts.placeOf({ name: names.get(tagId) ?? tagId, value: tagId });
      for (const [i, column] of asked.columns.entries())
        if (columns[column]) counts.add(i, place, unit!, [columns[column]]);
    }
    yield { id, parts: counts.all() };
  }
}

/** An account has at most a thousand tags, and those that it deleted. */
async function namesOf(account: AccountReader, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const tags = await rows(account.db, WebEventTag)
    .withDeleted()
    .where('accountId', account.id)
    .whereIn('id', [...ids])
    .getMany();
  return new Map(tags.map(({ id, name }) => [id, name]));
}
