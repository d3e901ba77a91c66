/** A minute, in milliseconds. */
export const MINUTE_MS = 60_000;

/** An hour, in milliseconds. */
export const HOUR_MS = 3_600_000;

/** A day in UTC, in milliseconds. */
export const DAY_MS = 86_400_000;

/** The day of a time in UTC, in days since 1970. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/** A time to the minute in UTC, as fields of forms have it: 2026-12-30T08:00. */
export const minuteOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
