/** What is counted of a video. */
export const MEDIA_METRICS = [
  'cta_url_clicks',
  'cta_watch_clicks',
  'playback25',
  'playback50',
  'playback75',
  'playback_complete',
  'playback_start',
  'video_views',
] as const;
export type MediaMetric = (typeof MEDIA_METRICS)[number];

/** The counts of a media item in a unit of time, which begins at `timestamp`. */
export interface CountedUnit {
  timestamp: string;
  counts: Readonly<Record<MediaMetric, number>>;
}

/** A media item, and all units of time of the range; none if nothing was counted in it. */
export interface MediaAnalytics {
  key: string;
  units: CountedUnit[];
}
