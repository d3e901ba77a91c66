import { ApiProperty } from '@nestjs/swagger';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { TIME, Unescaped } from '../../common/http/answers/responses.js';
import type { MediaAnalyticsField } from './media-analytics.dto.js';
import { MEDIA_METRICS, type MediaAnalytics } from './media-metrics.js';

/** A number of events. */
const COUNT = { type: 'integer', required: false } as const;

class MediaMetricsView {
  /** Clicks on the button of the video that leads to a URL. */
  @ApiProperty({ ...COUNT, example: 41 }) cta_url_clicks?: number;
  /** Clicks on the button `WATCH_NOW`. */
  @ApiProperty({ ...COUNT, example: 0 }) cta_watch_clicks?: number;
  /** Playbacks of at least a quarter of the video. */
  @ApiProperty({ ...COUNT, example: 728 }) playback25?: number;
  /** Playbacks of at least half of the video. */
  @ApiProperty({ ...COUNT, example: 509 }) playback50?: number;
  /** Playbacks of at least three quarters of the video. */
  @ApiProperty({ ...COUNT, example: 387 }) playback75?: number;
  /** Playbacks of the whole video. */
  @ApiProperty({ ...COUNT, example: 317 }) playback_complete?: number;
  /** Playbacks that have begun. */
  @ApiProperty({ ...COUNT, example: 1_300 }) playback_start?: number;
  /** Views. */
  @ApiProperty({ ...COUNT, example: 676 }) video_views?: number;
}

class TimestampedMetricsView {
  /** The beginning of the unit of time. */
  @ApiProperty({ ...TIME, example: '2026-11-01T00:00:00Z' }) @Unescaped() timestamp: string;
  /** What was counted in it. */
  @ApiProperty({ type: MediaMetricsView }) metrics: MediaMetricsView;
}

/** How a file was watched. */
@Noun('media analytics', 'media analytics')
export class MediaAnalyticsView {
  /** The media key. */
  @ApiProperty({ type: String, example: '7_1790000000000001' }) @Unescaped() media_key: string;
  /** An element for each unit of time from `start_time` on; empty if nothing was counted in the whole range. */
  @ApiProperty({ type: [TimestampedMetricsView] }) timestamped_metrics: TimestampedMetricsView[];
}

/** Presents the wanted metrics; all of them by default. */
export function presentMediaAnalytics(fields?: readonly MediaAnalyticsField[]) {
  const metrics = MEDIA_METRICS.filter((metric) => fields === undefined || fields.includes(metric));
  return ({ key, units }: MediaAnalytics): MediaAnalyticsView => ({
    media_key: key,
    timestamped_metrics: units.map(({ timestamp, counts }) => ({
      timestamp,
      metrics: Object.fromEntries(metrics.map((metric) => [metric, counts[metric]])),
    })),
  });
}
