/**
 * A time in the format of responses, `2026-11-20T19:08:40Z`: from the text of a row (`2026-11-20 19:08:40.123+00`, or
 * the service's own ISO text) or from the Date of an entity.
 */
export function wireTime(time: string | Date): string;
export function wireTime(time: string | Date | null): string | null;
export function wireTime(time: string | Date | null): string | null {
  if (time === null) return null;
  const text = typeof time === 'string' ? time : time.toISOString();
  return `${text.slice(0, 10)}T${text.slice(11, 19)}Z`;
}

/** The same with milliseconds, `2026-11-20T19:08:40.123Z`, which PostgreSQL omits when they are zero. */
export function exactWireTime(stored: string): string {
  const fraction = /^\.(\d{1,3})/.exec(stored.slice(19))?.[1] ?? '';
  return `${stored.slice(0, 10)}T${stored.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/** A time in the format of rows. */
export function storedTime(date: Date): string;
export function storedTime(date: Date | null): string | null;
export function storedTime(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
