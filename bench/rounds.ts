import type { Case } from './cases.js';
import type { Load } from './load/load.js';
import type { Pen } from './load/task.js';
import type { Settings } from './settings.js';
import { median, medians, type Measured } from './statistics.js';

/** A server and what to ask it. */
export interface Side {
  port: number;
  pen: Pen;
  case: Case;
}

/** Two servers measured in turn. */
export interface Compared {
  name: string;
  one: Measured;
  other: Measured;
  /** One to the other in rate: the median of the rounds' own ratios, and the least and the largest of them. */
  ratio: number;
  ratios: number[];
}

/** Measures one side, round after round. The first one is not counted. */
export async function measure(
  load: Load,
  settings: Settings,
  { port, pen, case: { requests } }: Side,
): Promise<Measured> {
  const measured: Measured[] = [];
  for (let round = -1; round < settings.rounds; round++) {
    const outcome = await load.run({
      ...{ port, pen, requests, connections: settings.connections, measureMs: settings.measureMs, signAhead: 500 },
      warmUpMs: round < 0 ? settings.firstWarmUpMs : settings.warmUpMs,
    });
    if (round >= 0) measured.push(outcome.measured);
  }
  return medians(measured);
}

/**
 * Measures two sides in turn, round after round, and compares each round with the one beside it: what else the machine
 * does in the meantime then weighs on both. Every second round begins with the other side.
 */
export async function compare(load: Load, settings: Settings, name: string, one: Side, other: Side): Promise<Compared> {
  const measured = new Map<Side, Measured[]>([
    [one, []],
    [other, []],
  ]);
  const ahead = new Map<Side, number>();
  // The first round is not counted: until then much of the code has not been compiled for the last time.
  for (let round = -1; round < settings.rounds; round++) {
    for (const side of round % 2 === 0 ? [one, other] : [other, one]) {
      const { port, pen } = side;
      await side.case.before?.();
      const outcome = await load.run({
        port,
        pen,
        requests: side.case.requests,
        connections: settings.connections,
        warmUpMs: round < 0 ? settings.firstWarmUpMs : settings.warmUpMs,
        measureMs: settings.measureMs,
        signAhead: Math.ceil((ahead.get(side) ?? 1_000) * 1.1),
      });
      if (side === one && side.case.once && outcome.sent > side.case.requests.length)
        throw new Error(`${name}: ${outcome.sent} requests were sent, and there are only ${side.case.requests.length}`);
      ahead.set(side, Math.max(ahead.get(side) ?? 0, outcome.sent));
      if (round >= 0) measured.get(side)!.push(outcome.measured);
    }
  }
  const [ours, theirs] = [measured.get(one)!, measured.get(other)!];
  const ratios = ours.map(({ rate }, round) => rate / theirs[round].rate);
  return { name, one: medians(ours), other: medians(theirs), ratio: median(ratios), ratios };
}
