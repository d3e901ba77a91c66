import { Logger } from '@nestjs/common';
import { skewOf, type Skew } from '../clock-skew.js';
import type { ServerTime } from './server-time.js';

/** Interval of repeated warnings. */
const REPEAT_MS = 3_600_000;

/**
 * Warns when the machine's clock differs from the server's: when that begins, changes its severity or ends, and once an
 * hour.
 */
export class SkewLog {
  private readonly logger = new Logger('Clock');
  private last: Skew['state'] = 'ok';
  private toldAt = -Infinity;

  constructor(
    private readonly time: Pick<ServerTime, 'skewMs'>,
    private readonly ticks: () => number = () => performance.now(),
  ) {}

  look(): void {
    const { state, text } = skewOf(this.time.skewMs, this.last);
    const repeated = state !== 'ok' && this.ticks() - this.toldAt > REPEAT_MS;
    if (state === this.last && !repeated) return;
    this.last = state;
    this.toldAt = this.ticks();
    this.logger.warn(state === 'ok' ? 'this machine and PostgreSQL agree on the time again' : text);
  }
}
