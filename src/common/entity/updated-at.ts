/**
 * The time of a change: now, but always after the previous one, so that `updatedAt` distinguishes two states of a row
 * even within the same millisecond.
 */
export function nextUpdatedAt(updatedAt: string, now: Date): string {
  return new Date(Math.max(now.getTime(), new Date(updatedAt).getTime() + 1)).toISOString();
}
