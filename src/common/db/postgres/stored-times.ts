/** A stored timestamp, `2026-11-20 19:08:40.123+00` or our own ISO text, as the wire has it: `2026-11-20T19:08:40Z`. */
export function wireTime(stored: string): string;
export function wireTime(stored: string | null): string | null;
export function wireTime(stored: string | null): string | null {
  return stored === null ? null : `${stored.slice(0, 10)}T${stored.slice(11, 19)}Z`;
}

/** A time in the form in which rows carry it. */
export function storedTime(date: Date): string;
export function storedTime(date: Date | null): string | null;
export function storedTime(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
