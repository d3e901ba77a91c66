const HOUR_MS = 3_600_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function partsOf(ms: number, timezone: string): { day: string; hour: number } {
  let format = formats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: timezone,
      dateStyle: 'short',
      timeStyle: 'short',
      hourCycle: 'h23',
    });
    formats.set(timezone, format);
  }
  const [day, time] = format.format(ms).split(', ');
  return { day, hour: Number(time.slice(0, 2)) };
}

/** The hour of the day at a time in a time zone, 0 to 23, and the first full hour in UTC of that local day. */
export function localTime(at: Date, timezone: string): { localHour: number; dayStart: Date } {
  const { day, hour } = partsOf(at.getTime(), timezone);
  let start = at.getTime();
  while (partsOf(start - HOUR_MS, timezone).day === day) start -= HOUR_MS;
  return { localHour: hour, dayStart: new Date(start) };
}
