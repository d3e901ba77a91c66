/** A time in ISO 8601 with seconds, in UTC: `2026-11-01T00:00:00Z`. Fractions of a second are cut off. */
export const inSeconds = (time: Date | number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;
