/** A change that X made without a new version of its API. */
export interface DatedChange {
  /** The first day with the new behavior. */
  date: string;
  /** What is different from that day on. */
  what: string;
  /** Where the change is known from. */
  source: string;
  /** What decides: the date of the request, or the setting, for what is recorded without a request. */
  by: 'request' | 'setting';
}

const REFERENCE = "X's reference";

/** All dated changes. `marquee` answers as before the first of them, unless a date is chosen. */
export const DATED_CHANGES = {
  NO_ORGANIC_POSTS: {
    date: '2026-01-01',
    what: '`nullcast=false` is rejected when a post is published: organic posts come from the app',
    source: 'a public client; the year only',
    by: 'request',
  },
  FEWER_SEGMENTS: {
    date: '2026-05-01',
    what: '`segmentation_type` is only AGE, CONVERSION_TAGS, GENDER, METROS or PLATFORMS',
    source: `${REFERENCE}; the month only`,
    by: 'request',
  },
  NO_NETWORK_STATISTICS: {
    date: '2026-06-18',
    what: 'statistics and their jobs reject the placement PUBLISHER_NETWORK, which line items still have',
    source: `${REFERENCE}, which changed from 2025-05-15 to this day`,
    by: 'request',
  },
  LINE_ITEM_BUDGETS: {
    date: '2026-06-27',
    what: '`budget_optimization` of campaigns is only LINE_ITEM, also by default and in answers; `standard_delivery` of campaigns is ignored and null; a campaign needs no daily budget',
    source: REFERENCE,
    by: 'request',
  },
  OPEN_FLIGHTS: {
    date: '2026-06-27',
    what: '`end_time` of line items is optional, and null without an end. A total budget without a daily budget needs one',
    source: `${REFERENCE}, whose table and example differ`,
    by: 'request',
  },
  LONGER_VIEWS: {
    date: '2026-08-13',
    what: '`video_total_views` counts views of 3 seconds with 100 % in view, and clicks to play, instead of 2 seconds with 50 %',
    source: "X's changelog",
    by: 'setting',
  },
} as const satisfies Record<string, DatedChange>;

export type DatedChangeName = keyof typeof DATED_CHANGES;

/** Whether a change has happened at a date; at no date, none has. */
export const isInForce = (name: DatedChangeName, asOf: string | undefined): boolean =>
  asOf !== undefined && asOf >= DATED_CHANGES[name].date;

/** A sentence for errors: why a value is refused at a date. */
export const sinceDate = (name: DatedChangeName, asOf: string | undefined): string =>
  `since ${DATED_CHANGES[name].date}, and the request is as of ${asOf}`;
