/** What a round of load came to. */
export interface Measured {
  /** Answers per second with a 2xx status. */
  rate: number;
  p50: number;
  p95: number;
  p99: number;
  /** Answers with another status, and connections that broke. */
  failed: number;
}

export const median = (values: number[]): number => percentile(values, 0.5);

/** The nearest-rank percentile: a value that was really measured, never one in between. */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** The medians of several rounds, figure by figure; failures are added up. */
export function medians(rounds: Measured[]): Measured {
  const of = (name: keyof Measured) => median(rounds.map((round) => round[name]));
  return {
    rate: of('rate'),
    p50: of('p50'),
    p95: of('p95'),
    p99: of('p99'),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  };
}
