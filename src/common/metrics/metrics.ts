import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The figures that /metrics shows. Labels have few values: routes as patterns, never paths. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'marquee_http_request_duration_seconds',
    help: 'How long requests took, by route and status',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });
  /** Requests that are being answered now. */
  underway = 0;
  private readonly counters = new Map<string, Counter<string>>();

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'marquee_' });
    this.gauge('http_requests_underway', 'Requests being answered now', () => this.underway);
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

  /** Counts something that has a name of its own, such as refused requests by reason. */
  count(name: string, help: string, labels: Record<string, string> = {}): void {
    let counter = this.counters.get(name);
    if (!counter) {
      counter = new Counter({
        name: `marquee_${name}`,
        help,
        labelNames: Object.keys(labels),
        registers: [this.registry],
      });
      this.counters.set(name, counter);
    }
    counter.inc(labels);
  }

  /** A figure that is looked up when somebody asks for it. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `marquee_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** A figure for each value of a label, looked up when somebody asks for it; none are shown while that fails. */
  gaugeBy(name: string, help: string, label: string, read: () => Promise<Record<string, number>>): void {
    new Gauge({
      name: `marquee_${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
      async collect() {
        this.reset();
        const figures = await read().catch(() => ({}));
        for (const [value, figure] of Object.entries(figures)) this.set({ [label]: value }, figure);
      },
    });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}
