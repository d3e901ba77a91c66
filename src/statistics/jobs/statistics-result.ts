import { sliced } from '../../common/in-slices.js';
import type { Row } from '../../common/db/query/rows.js';
import { swapJson } from '../../names/swap-json.js';
import { presentStatistics } from '../account-statistics/account-statistics.presenter.js';
import type { AskedStatistics, StatisticsStream } from '../account-statistics/statistics-reader.service.js';
import { segmentationOf } from '../account-statistics/segmentation.rules.js';
import { iso } from './statistics-job.rules.js';
import type { StatisticsJob } from './statistics-job.entity.js';
import { presentParameters } from './statistics-job.presenter.js';

/** The statistics of a job. */
export const askedBy = (job: Row<StatisticsJob>): AskedStatistics => ({
  entity: job.entity,
  entity_ids: job.entityIds,
  start_time: iso(Date.parse(job.startTime)),
  end_time: iso(Date.parse(job.endTime)),
  granularity: job.granularity,
  metric_groups: job.metricGroups,
  placement: job.placement,
  segmentation: segmentationOf({
    entity: job.entity,
    metric_groups: job.metricGroups,
    segmentation_type: job.segmentationType ?? undefined,
    country: job.country ?? undefined,
    platform: job.platform ?? undefined,
  }),
});

/**
 * The JSON of a file in pieces: what the synchronous endpoint returns for the same parameters, in the vocabulary of the
 * job. It has one entity in memory at a time, and one segment as text.
 */
export async function* resultOf(
  job: Row<StatisticsJob>,
  { length, metrics, series }: StatisticsStream,
): AsyncGenerator<string> {
  const written = (value: unknown) => JSON.stringify(job.names === 'x' ? swapJson(value) : value);
  const present = presentStatistics(metrics);
  yield `{"data_type":"stats","time_series_length":${length},"data":[`;
  const nextSlice = sliced();
  let separator = '';
  for await (const each of series) {
    const { id, parts } = each;
    yield `${separator}{"id":${JSON.stringify(id)},"id_data":[`;
    for (const [i, part] of parts.entries()) {
      await nextSlice();
      const [presented] = present({ id, parts: [part] }).id_data;
      yield `${i === 0 ? '' : ','}${written(presented)}`;
    }
    yield ']}';
    separator = ',';
  }
  yield `],"request":${written({ params: { ...presentParameters(job), account_id: job.accountId } })}}`;
}
