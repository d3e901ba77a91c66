import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { unhandledErrors } from '../concurrency/background.js';

type Labels<Name extends string> = Record<Name, string>;

/** The metrics at /metrics. Labels have few values: routes as patterns, never paths. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'marquee_http_request_duration_seconds',
    help: 'Duration of requests, by route and status',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });
  /** Requests in progress. */
  underway = 0;

  constructor() {
    // process_* and nodejs_*: the standard names of dashboards
    collectDefaultMetrics({ register: this.registry });
    this.gauge('http_requests_in_flight', 'Requests in progress', () => this.underway);
    new Counter({
      name: 'marquee_unhandled_errors_total',
      help: 'Errors that nothing handled, of requests, jobs and other work',
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(unhandledErrors());
      },
    });
  }

  began(): void {
    this.underway++;
  }

  ended(): void {
    this.underway--;
  }

  answered(method: string, route: string, status: number, ms: number): void {
    this.requests.observe({ method, route, status: `${status}` }, ms / 1000);
  }

  /**
   * Creates a counter, such as of rejected requests by reason, and returns its increment function. It also adds 0:
   * Prometheus sees the first increase of a series only if the series existed before.
   */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[] = [],
  ): (...of: [Label] extends [never] ? [] : [labels: Labels<Label>, by?: number]) => void {
    const counter = new Counter({ name: `marquee_${name}`, help, labelNames: labels, registers: [this.registry] });
    return (of?: Labels<Label>, by?: number) => (of ? counter.inc(of, by) : counter.inc());
  }

  /** Creates a histogram with upper bounds, and returns its observe function. */
  histogram(name: string, help: string, buckets: number[]): (value: number) => void {
    const histogram = new Histogram({ name: `marquee_${name}`, help, buckets, registers: [this.registry] });
    return (value) => histogram.observe(value);
  }

  /** A constant metric whose labels carry the information. */
  info<Label extends string>(name: string, help: string, labels: Labels<Label>): void {
    const labelNames = Object.keys(labels) as Label[];
    new Gauge({ name: `marquee_${name}`, help, labelNames, registers: [this.registry] }).set(labels, 1);
  }

  /** A metric that is read on request; omitted while that fails. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name: `marquee_${name}`,
      help,
      registers: [this.registry],
      async collect() {
        const figure = await attempt(read);
        if (figure === undefined) this.remove();
        else this.set(figure);
      },
    });
  }

  /** A metric for each value of a label, read on request. */
  gaugeBy(name: string, help: string, label: string, read: () => Promise<Record<string, number>>): void {
    this.gaugesBy(label, { [name]: help }, async () =>
      Object.fromEntries(Object.entries(await read()).map(([value, figure]) => [value, { [name]: figure }])),
    );
  }

  /**
   * Metrics for each value of a label, read together on request: `figures` are their names and descriptions, and `read`
   * returns them by the value of the label. All are omitted while that fails.
   */
  gaugesBy<Name extends string>(
    label: string,
    figures: Record<Name, string>,
    read: () => Promise<Record<string, Partial<Record<Name, number>>>>,
  ): void {
    const once = shareResult(read);
    for (const [name, help] of Object.entries(figures) as [Name, string][]) {
      new Gauge({
        name: `marquee_${name}`,
        help,
        labelNames: [label],
        registers: [this.registry],
        async collect() {
          this.reset();
          for (const [value, found] of Object.entries((await attempt(once)) ?? {}))
            if (found[name] !== undefined) this.set({ [label]: value }, found[name]);
        },
      });
    }
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}

/** The shared source of several metrics: they are read at the same time, and share one result. */
export function shareResult<T>(read: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => (pending ??= read().finally(() => (pending = undefined)));
}

async function attempt<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
