import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { cpuSeconds } from '../scripts/proofs/support/cpu.js';
import type { Load } from './load/load.js';
import type { Side } from './rounds.js';
import type { Settings } from './settings.js';
import { median } from './statistics.js';

/** A service that is measured. */
export interface MeasuredService extends Side {
  pid: number;
}

/** Processor time of a request, in microseconds. */
export interface Cost {
  service: number;
  postgres: number;
}

/** The costs of the same requests at two services, and the median of the quotients of the rounds. */
export interface ComparedCosts {
  one: Cost;
  other: Cost;
  quotient: number;
}

/**
 * Compares what a request costs at two services, in turn. Processor time shows differences that rates do not, because
 * these vary by a tenth between rounds.
 */
export async function compareCosts(
  load: Load,
  settings: Settings,
  [one, other]: [MeasuredService, MeasuredService],
): Promise<ComparedCosts> {
  const postmaster = await postmasterPid(settings.postgres);
  const costs = new Map<MeasuredService, Cost[]>([
    [one, []],
    [other, []],
  ]);
  for (let round = -1; round < settings.rounds; round++) {
    for (const side of round % 2 === 0 ? [one, other] : [other, one]) {
      await side.case.before?.();
      const before = [cpuSeconds(side.pid), cpuSeconds(postmaster)];
      const { sent } = await load.run({
        port: side.port,
        pen: side.pen,
        requests: side.case.requests,
        connections: settings.connections,
        warmUpMs: 0,
        measureMs: round < 0 ? settings.firstWarmUpMs : settings.measureMs,
        signAhead: 1_000,
      });
      const used = [cpuSeconds(side.pid) - before[0], cpuSeconds(postmaster) - before[1]];
      const [service, postgres] = used.map((seconds) => (seconds * 1_000_000) / sent);
      if (round >= 0) costs.get(side)!.push({ service, postgres });
    }
  }
  const [ours, theirs] = [costs.get(one)!, costs.get(other)!];
  const quotients = ours.map((cost, round) => totalOf(cost) / totalOf(theirs[round]));
  return { one: medianOf(ours), other: medianOf(theirs), quotient: median(quotients) };
}

const totalOf = ({ service, postgres }: Cost): number => service + postgres;

const medianOf = (costs: readonly Cost[]): Cost => ({
  service: median(costs.map(({ service }) => service)),
  postgres: median(costs.map(({ postgres }) => postgres)),
});

/** The first process of a PostgreSQL server on this machine. */
async function postmasterPid(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  await client.end();
  return Number(readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
}
