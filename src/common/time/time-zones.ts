import { DAY_MS, HOUR_MS } from './days.js';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats are expensive to create, and there are only some hundred time zones. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    const [numeric, hourCycle] = ['numeric', 'h23'] as const;
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle,
      ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** The main name of a time zone, such as Europe/Berlin, whose names in any case and aliases are many; undefined for another text. */
export function mainTimeZone(name: string): string | undefined {
  // newer versions of Node take offsets
  if (!/^[A-Z]/i.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** The offset of the local time from UTC, in milliseconds. */
export function offsetAt(timeZone: string, ms: number): number {
  const parts = formatOf(timeZone).formatToParts(ms);
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)!.value);
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return local - Math.floor(ms / 1_000) * 1_000;
}

/** A local date, as the number of days since 1970. */
export const localDay = (timeZone: string, ms: number): number => Math.floor((ms + offsetAt(timeZone, ms)) / DAY_MS);

/** The first moment of a local date: midnight, or what follows it where clocks skip midnight. */
export const startOfDay = (timeZone: string, day: number): number => firstMomentOf(timeZone, day * DAY_MS);

/**
 * The moment of a local time, in milliseconds since 1970 as if it were in UTC. Of a time that clocks show twice it is the
 * first; one that they skip is as much later.
 */
export function firstMomentOf(timeZone: string, local: number): number {
  const [before, after] = [local - DAY_MS, local + DAY_MS].map((ms) => local - offsetAt(timeZone, ms));
  // clocks do not change around this date
  if (before === after) return before;
  const moments = [before, after].filter((ms) => ms + offsetAt(timeZone, ms) === local);
  return moments.length > 0 ? Math.min(...moments) : before;
}

/**
 * The local date that begins at a time, or undefined. Midnight counts by the offset of that day and by the current one,
 * which clients use for days on the other side of a change of clocks.
 */
export function dayBeginningAt(timeZone: string, ms: number, now: number): number | undefined {
  const day = localDay(timeZone, ms);
  if (startOfDay(timeZone, day) === ms) return day;
  const local = ms + offsetAt(timeZone, now);
  return local % DAY_MS === 0 ? local / DAY_MS : undefined;
}

/** The hour of the day at a time, 0 to 23. */
export const localHour = (timeZone: string, ms: number): number =>
  Math.floor((((ms + offsetAt(timeZone, ms)) % DAY_MS) + DAY_MS) / HOUR_MS) % 24;

/** The first whole hour in UTC of a local date. An hour belongs to the date in which it begins. */
export const firstHourOf = (timeZone: string, day: number): number =>
  Math.ceil(startOfDay(timeZone, day) / HOUR_MS) * HOUR_MS;

/** The first whole hour in UTC of the local day of a time. */
export const firstHourOfDay = (timeZone: string, ms: number): number => firstHourOf(timeZone, localDay(timeZone, ms));

/** The last beginning of a local day, as a whole hour in UTC, that is not after a time. */
export function lastFirstHour(timeZone: string, ms: number): number {
  const day = localDay(timeZone, ms);
  const first = firstHourOf(timeZone, day);
  return first <= ms ? first : firstHourOf(timeZone, day - 1);
}

/** The first beginning of a local day, as a whole hour in UTC, that is not before a time. */
export function nextFirstHour(timeZone: string, ms: number): number {
  const day = localDay(timeZone, ms);
  const first = firstHourOf(timeZone, day);
  return first >= ms ? first : firstHourOf(timeZone, day + 1);
}
