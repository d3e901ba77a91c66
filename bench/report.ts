import { cpus, loadavg } from 'node:os';
import type { Compared } from './rounds.js';
import { NODE_FLAGS } from './servers.js';
import type { Settings } from './settings.js';

/** Says what comes out, for people or as JSON. */
export class Report {
  constructor(private readonly settings: Settings) {}

  machine(versions: string): void {
    const { rounds, connections, measureMs } = this.settings;
    this.say(`${cpus().length} × ${cpus()[0].model}; Node ${process.version}; ${versions}`);
    this.say(`Both servers: node ${NODE_FLAGS.join(' ')}. Load average before: ${loadavg()[0].toFixed(1)}.`);
    this.say(`${connections} connections, ${rounds} rounds of ${measureMs / 1000} s in turn; medians.`);
  }

  /** The head of a table of comparisons; `first` and `second` are its two sides. */
  table(title: string, first: string, second: string, ratio: string): void {
    this.say(`\n${title}`);
    this.say(row('', `${first}/s`, `${second}/s`, ratio, 'least', 'most', 'p50 ms', 'p99 ms', `${second} p50, p99`));
  }

  /** `shown`: how a ratio of rates is told, which of lists that may not get slower is the other way round. */
  compared({ name, one, other, ratio, ratios }: Compared, shown = (rate: number) => rate): void {
    const told = ratios.map(shown);
    if (one.failed + other.failed > 0) {
      process.exitCode = 1;
      console.error(`${name}: ${one.failed} and ${other.failed} requests failed`);
    }
    if (this.settings.json) {
      const line = {
        name,
        ours: round(one.rate, 1),
        reference: round(other.rate, 1),
        ratio: round(shown(ratio), 3),
        p50_ms: round(one.p50, 2),
        p99_ms: round(one.p99, 2),
      };
      console.log(JSON.stringify(line));
      return;
    }
    console.log(
      row(
        name,
        one.rate.toFixed(0),
        other.rate.toFixed(0),
        shown(ratio).toFixed(2),
        Math.min(...told).toFixed(2),
        Math.max(...told).toFixed(2),
        one.p50.toFixed(1),
        one.p99.toFixed(1),
        `${other.p50.toFixed(1)}, ${other.p99.toFixed(1)}`,
      ),
    );
  }

  /** For people; with --json on standard error, where it is in nobody's way. */
  say(line: string): void {
    if (this.settings.json) console.error(line);
    else console.log(line);
  }
}

const WIDTHS = [22, 14, 14, 10, 7, 7, 9, 9, 20];
const row = (...cells: string[]) =>
  cells.map((cell, i) => (i === 0 ? cell.padEnd(WIDTHS[0]) : cell.padStart(WIDTHS[i]))).join('');

const round = (value: number, digits: number) => Number(value.toFixed(digits));
