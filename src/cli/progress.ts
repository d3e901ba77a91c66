const MIB = 1024 * 1024;

/** The finished share of a file, such as `34 % of 12.3 MiB`. */
export const shareOf = (done: number, size: number): string =>
  `${Math.floor((100 * done) / Math.max(1, size))} % of ${(size / MIB).toFixed(1)} MiB`;

/** Replaces the line of a terminal by a text, or clears it. A longer text is cut: a line that wraps cannot be replaced. */
export function rewrittenLine(text = '', columns?: number): string {
  const isCut = columns !== undefined && columns > 0 && text.length >= columns;
  return `\r\x1b[K${isCut ? `${text.slice(0, Math.max(0, columns - 2))}…` : text}`;
}

/** Calls a function at most once in an interval: at once, or where `isDelayed` after the first interval. */
export function atMostEvery<A extends unknown[]>(
  ms: number,
  call: (...given: A) => void,
  { isDelayed }: { isDelayed: boolean },
): (...given: A) => void {
  let last = isDelayed ? performance.now() : -Infinity;
  return (...given) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    call(...given);
  };
}
