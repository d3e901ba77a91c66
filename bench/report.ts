import { cpus, loadavg } from 'node:os';
import type { Delivery } from './statistics-world.js';
import type { StatisticsTimes } from './statistics-reads.js';
import type { ComparedCosts } from './journal.js';
import type { DeliveryTimes } from './delivery.js';
import type { Compared } from './rounds.js';
import { NODE_FLAGS } from './servers.js';
import type { SizeTime } from './sizes.js';
import type { Measured } from './statistics.js';
import type { StartFigure } from './start.js';
import type { JobTimes } from './statistics-job.js';
import type { UploadRate } from './uploads.js';
import type { DeliveryRates } from './webhooks.js';
import type { Settings } from './settings.js';

/** 1,500 requests a minute. */
const MAX_PER_SECOND = (1_500 * 2_500) / 60;

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

  /** The head of a table of costs. */
  costs(title: string): void {
    this.say(`\n${title}`);
    this.say(row('', 'service', 'PostgreSQL', 'service', 'PostgreSQL', 'quotient'));
  }

  cost(name: string, { one, other, quotient }: ComparedCosts): void {
    if (this.settings.json) return console.log(JSON.stringify({ name, one, other, quotient: round(quotient, 3) }));
    const figures = [one.service, one.postgres, other.service, other.postgres].map((figure) => figure.toFixed(0));
    console.log(row(name, ...figures, quotient.toFixed(3)));
  }

  /** Users a second that are uploaded, beside what the database takes at most and what the service has to take. */
  uploads(rates: readonly UploadRate[]): void {
    this.say(`\nUploads of 2,500 users a request; at most ${MAX_PER_SECOND} users a second are allowed`);
    this.rates('users', rates, MAX_PER_SECOND);
  }

  conversions(rates: readonly UploadRate[]): void {
    this.say('\nConversions, 500 a request');
    this.rates('conversions', rates);
  }

  private rates(what: string, rates: readonly UploadRate[], allowed?: number): void {
    const copy = rates.find(({ name }) => name.startsWith('COPY'))!.perSecond;
    this.say(row('', `${what}/s`, 'of COPY', allowed ? 'of allowed' : '', '', '', 'reads p99', 'MiB', 'blocked ms'));
    for (const { name, perSecond, readP99, residentMiB, blockedMs } of rates) {
      if (this.settings.json)
        console.log(
          JSON.stringify({
            name,
            [`${what}_per_second`]: round(perSecond, 0),
            of_copy: round(perSecond / copy, 3),
            read_p99_ms: readP99 && round(readP99, 1),
            resident_mib: residentMiB && round(residentMiB, 0),
            blocked_ms: blockedMs && round(blockedMs, 1),
          }),
        );
      else
        console.log(
          row(
            name,
            perSecond.toFixed(0),
            (perSecond / copy).toFixed(2),
            allowed ? (perSecond / allowed).toFixed(2) : '',
            '',
            '',
            readP99?.toFixed(1) ?? '',
            residentMiB?.toFixed(0) ?? '',
            blockedMs?.toFixed(1) ?? '',
          ),
        );
    }
  }

  /** Events a second from commit to a receiver, beside what a bare client posts there. */
  deliveries({ events, ours, bare, ratio }: DeliveryRates): void {
    this.say(`\n${events} events to one webhook on this machine, from commit to arrival, beside a bare undici client`);
    if (this.settings.json) {
      console.log(
        JSON.stringify({ name: 'webhooks', ours: round(ours, 0), reference: round(bare, 0), ratio: round(ratio, 3) }),
      );
      return;
    }
    console.log(row('', 'ours/s', 'bare/s', 'ratio'));
    console.log(row('webhooks', ours.toFixed(0), bare.toFixed(0), ratio.toFixed(2)));
  }

  /** Hours of simulated delivery, beside the bare writes of the same facts and amounts. */
  hours(times: readonly DeliveryTimes[]): void {
    this.say('\nSimulated delivery, beside COPY and three updates of the same facts; goal: below 2,000 ms');
    this.say(estimateRow('', 'facts', 'ours ms', 'bare ms', 'ratio'));
    for (const { name, facts, ours, reference, ratio } of times) {
      if (this.settings.json)
        console.log(
          JSON.stringify({
            name: `delivery, ${name}`,
            facts,
            ours_ms: round(ours, 0),
            reference_ms: round(reference, 0),
            ratio: round(ratio, 2),
          }),
        );
      else console.log(estimateRow(name, `${facts}`, ours.toFixed(0), reference.toFixed(0), ratio.toFixed(2)));
    }
  }

  sizes(times: readonly SizeTime[]): void {
    this.say(`\nCounting audiences of ${times[0].people} persons with three identifiers each, in seconds`);
    for (const { name, people, seconds } of times) {
      if (this.settings.json) console.log(JSON.stringify({ name, people, seconds: round(seconds, 2) }));
      else console.log(`${name.padEnd(40)}${seconds.toFixed(2).padStart(8)}`);
    }
  }

  estimates(users: number): void {
    this.say(`\nEstimates with ten criteria over a directory of ${users} users; goal: a p95 below 50 ms`);
    this.say(estimateRow('', 'at a time', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms'));
  }

  estimated(name: string, connections: number, { rate, p50, p95, p99, failed }: Measured): void {
    if (failed > 0) {
      process.exitCode = 1;
      console.error(`${name}: ${failed} requests failed`);
    }
    if (this.settings.json) {
      const times = { p50_ms: round(p50, 1), p95_ms: round(p95, 1), p99_ms: round(p99, 1) };
      console.log(JSON.stringify({ name, connections, per_second: round(rate, 1), ...times }));
      return;
    }
    const figures = [rate, p50, p95, p99].map((figure) => figure.toFixed(1));
    console.log(estimateRow(name, `${connections}`, ...figures));
  }

  insights(posts: number): void {
    this.say(
      `\nKeyword insights by the hour over ${posts} posts of seven days, one request at a time; goal: below 200 ms`,
    );
    this.say(estimateRow('', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'of all'));
  }

  /** `everything`: what it takes to count all of the posts, in milliseconds. */
  insight(name: string, { rate, p50, p95, p99, failed }: Measured, everything: number): void {
    if (failed > 0) {
      process.exitCode = 1;
      console.error(`${name}: ${failed} requests failed`);
    }
    if (this.settings.json) {
      const times = { p50_ms: round(p50, 1), p95_ms: round(p95, 1), p99_ms: round(p99, 1) };
      console.log(
        JSON.stringify({ name, ...times, reference_ms: round(everything, 1), ratio: round(p50 / everything, 3) }),
      );
      return;
    }
    const figures = [rate, p50, p95, p99].map((figure) => figure.toFixed(1));
    console.log(estimateRow(name, ...figures, (p50 / everything).toFixed(2)));
  }

  statistics({ facts, days, bytes, accounts }: Delivery, seconds: number): void {
    const gigabytes = (size: number) => (size / 1e9).toFixed(1);
    this.say(
      `\nStatistics of ${facts} facts (${gigabytes(bytes.facts)} GB) and ${days} days (${gigabytes(bytes.days)} GB) of ${accounts.length} accounts, filled in ${seconds.toFixed(0)} s;` +
        ' one read at a time; goal: a p95 below 50 ms of the first two',
    );
    this.say(estimateRow('', 'p50 ms', 'p95 ms', 'SQL p50', 'SQL p95', 'ratio', 'CPU p50'));
  }

  statisticsRead({ name, p50, p95, reference50, reference95, ratio, cpu50 }: StatisticsTimes): void {
    if (this.settings.json) {
      const reference = {
        ...{ reference_p50_ms: round(reference50, 2), reference_p95_ms: round(reference95, 2) },
        cpu_p50_ms: cpu50 && round(cpu50, 2),
      };
      console.log(JSON.stringify({ name, p50_ms: round(p50, 2), p95_ms: round(p95, 2), ...reference, ratio: round(ratio, 2) })); // prettier-ignore
      return;
    }
    const figures = [p50, p95, reference50, reference95].map((figure) => figure.toFixed(1));
    console.log(estimateRow(name, ...figures, ratio.toFixed(2), cpu50?.toFixed(1) ?? ''));
  }

  job({ name, seconds, blockedMs }: JobTimes): void {
    if (this.settings.json)
      console.log(JSON.stringify({ name, seconds: round(seconds, 2), blocked_ms: round(blockedMs, 1) }));
    else console.log(`${name}: ${seconds.toFixed(2)} s, the service blocked for up to ${blockedMs.toFixed(1)} ms`);
  }

  /** One figure of a start, a command or the memory when idle. */
  started({ name, value, unit }: StartFigure): void {
    const shown = unit === 's' ? value.toFixed(2) : value.toFixed(0);
    console.log(
      this.settings.json ? JSON.stringify({ name, value: round(value, 3), unit }) : `${name}: ${shown} ${unit}`,
    );
  }

  /** For people; with --json on standard error, where it is in nobody's way. */
  say(line: string): void {
    if (this.settings.json) console.error(line);
    else console.log(line);
  }
}

const estimateRow = (name: string, ...cells: string[]) =>
  name.padEnd(40) + cells.map((cell) => cell.padStart(12)).join('');

const WIDTHS = [22, 14, 14, 10, 7, 7, 9, 9, 20];
const row = (...cells: string[]) =>
  cells.map((cell, i) => (i === 0 ? cell.padEnd(WIDTHS[0]) : cell.padStart(WIDTHS[i]))).join('');

const round = (value: number, digits: number) => Number(value.toFixed(digits));
