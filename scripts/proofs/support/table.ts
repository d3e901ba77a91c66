import { settings } from './settings.js';

/** Durations and shares of a processor: figures that say more about a busy machine than about the service. */
const UNITS_OF_TIME = new Set(['ms', 's', '%']);

/** One figure of a proof: what was measured, what was promised, and whether the promise was kept. */
export interface Figure {
  name: string;
  measured: string;
  promise: string;
  ok: boolean;
  /** Whether it is shown beside its promise only, because the machine may be busy. */
  isUnjudged?: boolean;
  /** The part of the proof that it belongs to, where a proof has parts. */
  part?: string;
}

/** A figure that is at most so much. With `--quick`, one of time is shown and not judged. */
export function atMost(name: string, measured: number, max: number, unit = ''): Figure {
  const isUnjudged = settings.quick && UNITS_OF_TIME.has(unit);
  return {
    name,
    measured: worded(measured, unit),
    promise: max === 0 ? 'none' : `at most ${worded(max, unit)}`,
    ok: isUnjudged || measured <= max,
    isUnjudged,
  };
}

/** A figure that is at least so much. */
export const atLeast = (name: string, measured: number, min: number, unit = ''): Figure => ({
  name,
  measured: worded(measured, unit),
  promise: `at least ${worded(min, unit)}`,
  ok: measured >= min,
});

/** A figure that nothing was promised about. */
export const noted = (name: string, measured: string): Figure => ({ name, measured, promise: '', ok: true });

export function worded(value: number, unit = ''): string {
  if (Number.isNaN(value)) return 'none';
  const digits = Number.isInteger(value) ? 0 : Math.abs(value) < 10 ? 2 : 1;
  return `${value.toLocaleString('en', { maximumFractionDigits: digits })}${unit && ` ${unit}`}`;
}

/** Prints the figures of all proofs, one a row, below the name of the proof and its part. */
export function printTable(proofs: { proof: string; figures: Figure[] }[]): void {
  const all = proofs.flatMap(({ figures }) => figures);
  const nameWidth = Math.max(0, ...all.map(({ name }) => name.length));
  // Long ones are notes; they may stand out.
  const measuredWidth = Math.max(0, ...all.filter(({ promise }) => promise !== '').map((each) => each.measured.length));
  const row = (name: string, measured: string, promise: string, verdict: string) =>
    `  ${name.padEnd(nameWidth)}  ${measured.padEnd(measuredWidth)}  ${promise.padEnd(20)}  ${verdict}`.trimEnd();
  for (const { proof, figures } of proofs) {
    for (const part of new Set(figures.map((figure) => figure.part))) {
      console.log(`\n${row(part === undefined ? proof : `${proof}: ${part}`, 'measured', 'promise', '').slice(2)}`);
      for (const figure of figures.filter((each) => each.part === part))
        console.log(row(figure.name, figure.measured, figure.promise, verdict(figure)));
    }
  }
}

const verdict = ({ promise, ok, isUnjudged }: Figure): string =>
  promise === '' ? '' : isUnjudged ? 'not judged' : ok ? 'ok' : 'FAILED';
