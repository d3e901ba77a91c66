import { Example } from '../../common/http/params/dto-metadata.js';
import { EnumList, OneOf, Timestamp } from '../../common/http/params/fields.js';
import { closedSet } from '../../common/values/closed-set.js';
import { UploadKeys } from '../../creatives/media-files/media-key.field.js';

/** The units of time of media analytics. */
const MEDIA_GRANULARITIES = closedSet('MediaGranularity', ['hourly', 'daily', 'total']);
export type MediaGranularity = (typeof MEDIA_GRANULARITIES)[number];

/** The fields of media analytics. */
const MEDIA_ANALYTICS_FIELDS = closedSet('MediaAnalyticsField', [
  'cta_url_clicks',
  'cta_watch_clicks',
  'media_key',
  'play_from_tap',
  'playback25',
  'playback50',
  'playback75',
  'playback_complete',
  'playback_start',
  'timestamp',
  'video_views',
  'watch_time_ms',
]);
export type MediaAnalyticsField = (typeof MEDIA_ANALYTICS_FIELDS)[number];

/** The files, the time range, and what to return. */
@Example({
  media_keys: ['{media_key_video}'],
  start_time: '2026-11-01T00:00:00Z',
  end_time: '2026-11-08T00:00:00Z',
  granularity: 'daily',
  'media_analytics.fields': ['playback_start', 'playback_complete', 'video_views'],
})
export class GetMediaAnalytics {
  /** Media keys of uploads of the caller. */
  @UploadKeys() media_keys: string[];
  /** Start of the time range, inclusive: a whole hour, with `daily` midnight in UTC. */
  @Timestamp() start_time: string;
  /** End of the time range, exclusive: at most 7 days after the start with `hourly`, else at most 90 days. */
  @Timestamp() end_time: string;
  /** The unit of time of each number. Days are days in UTC. */
  @OneOf(MEDIA_GRANULARITIES, { optional: true, default: 'daily' }) granularity: MediaGranularity = 'daily';
  /**
   * The metrics to return beside `media_key` and `timestamp`; by default all. Nothing counts `play_from_tap` and
   * `watch_time_ms`, which are ignored.
   */
  @EnumList(MEDIA_ANALYTICS_FIELDS, { optional: true, max: MEDIA_ANALYTICS_FIELDS.length })
  'media_analytics.fields'?: MediaAnalyticsField[];
}
