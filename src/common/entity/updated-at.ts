/**
 * The time of a change: now, but always after the one before, so that `updatedAt` tells two states of a row apart even
 * when they are made in the same millisecond.
 */
export function nextUpdatedAt(updatedAt: string, now: Date): string {
  return new Date(Math.max(now.getTime(), new Date(updatedAt).getTime() + 1)).toISOString();
}
