/** A stored timestamp, `2026-11-20 19:08:40.123+00` or our own ISO text, as the wire has it: `2026-11-20T19:08:40Z`. */
export function wireTime(stored: string): string;
export function wireTime(stored: string | null): string | null;
export function wireTime(stored: string | null): string | null {
  return stored === null ? null : `${stored.slice(0, 10)}T${stored.slice(11, 19)}Z`;
}

/** The same with milliseconds, `2026-11-20T19:08:40.123Z`, which PostgreSQL leaves out where they are zero. */
export function exactWireTime(stored: string): string {
  const fraction = /^\.(\d{1,3})/.exec(stored.slice(19))?.[1] ?? '';
  return `${stored.slice(0, 10)}T${stored.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/** A time in the form in which rows carry it. */
export function storedTime(date: Date): string;
export function storedTime(date: Date | null): string | null;
export function storedTime(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
