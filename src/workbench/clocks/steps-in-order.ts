import type { TimedStep, TimedWork } from '../../accounts/times/timed-work.js';

/** A step, and the name of its work. */
export type NamedStep = TimedStep & { work: string };

/** The steps that a work has found, at most as many as it may find. */
export interface FoundSteps {
  work: Pick<TimedWork, 'name' | 'repeats'>;
  steps: readonly TimedStep[];
}

/**
 * The steps that can be done now, in order of time: none is later than a step that was not read yet. After the first
 * step that may make others due, all works are asked again.
 */
export function inOrder(found: readonly FoundSteps[], limit: number): NamedStep[] {
  const full = found.filter(({ steps }) => steps.length >= limit);
  const horizon = Math.min(...full.map(({ steps }) => Date.parse(steps.at(-1)!.at)));
  const all = found.flatMap(({ work, steps }) =>
    steps.map((step) => ({
      named: { ...step, work: work.name },
      repeats: work.repeats ?? false,
      ms: Date.parse(step.at),
    })),
  );
  const ordered = all.filter(({ ms }) => ms <= horizon).sort((one, other) => one.ms - other.ms);
  const end = ordered.findIndex(({ repeats }) => repeats);
  return (end < 0 ? ordered : ordered.slice(0, end + 1)).map(({ named }) => named);
}
