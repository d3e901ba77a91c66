import { Logger } from '@nestjs/common';
import type { ServerConnection } from './own-connection.js';
import type { ServerTime } from './server-time.js';
import { SkewLog } from './skew-log.js';

const INTERVAL_MS = 500;
/** How often the server's time is measured before requests are served: opening the connection makes the first answer slow. */
const FIRST_MEASUREMENTS = 3;

/** A sign of life, with the server's time, and whether it takes no writes: as a standby does until it is promoted. */
const STATEMENT = {
  text: `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now, current_setting('transaction_read_only') = 'on' AS "readOnly"`,
};

/** Whether a server serves requests, or what keeps it from it. */
export type ServerState = 'ok' | 'read-only' | 'away';

/**
 * Asks the server for a sign of life twice a second, on a connection of its own, so that its silence, or that it takes no writes, is
 * noticed before requests find out. The same answer tells its time.
 */
export class ServerWatch {
  private readonly logger = new Logger('Database');
  private readonly skewLog: SkewLog;
  private timer?: NodeJS.Timeout;
  private stopped = false;
  /** What it was when it was last asked. */
  state: ServerState = 'ok';

  /** `onChange` is called while it does not serve requests, and when it does again: connections that were open before may be lost, or lead elsewhere. */
  constructor(
    private readonly connection: ServerConnection,
    private readonly time: ServerTime,
    private readonly onChange: (state: ServerState) => void,
  ) {
    this.skewLog = new SkewLog(time);
    this.schedule();
  }

  /** Measures the server's time for the first time. */
  async begin(): Promise<void> {
    for (let i = 0; i < FIRST_MEASUREMENTS; i++) await this.measure();
    this.skewLog.look();
  }

  /** Whether requests can be served. */
  get answers(): boolean {
    return this.state === 'ok';
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.connection.close();
  }

  private schedule(): void {
    if (!this.stopped) this.timer = setTimeout(() => void this.look(), INTERVAL_MS).unref();
  }

  private async look(): Promise<void> {
    try {
      if (await this.measure()) {
        this.enter('read-only', 'takes no writes, as a standby that is not promoted');
        // the address may lead to another server by now
        this.connection.renew();
      } else this.enter('ok');
      this.skewLog.look();
    } catch (error) {
      if (!this.stopped) this.enter('away', `does not answer (${(error as Error).message})`);
    } finally {
      this.schedule();
    }
  }

  /** Whether the server takes no writes. */
  private async measure(): Promise<boolean> {
    const sentAt = performance.now();
    const [{ now, readOnly }] = await this.connection.run<{ now: number; readOnly: boolean }>(STATEMENT);
    this.time.observe(now, sentAt, performance.now());
    return readOnly;
  }

  private enter(state: ServerState, trouble?: string): void {
    const before = this.state;
    this.state = state;
    if (before !== state)
      this.logger.warn(
        trouble
          ? `${trouble}: requests are answered 503 with retry-after, and /health/ready 503, until it does`
          : 'answers again: requests are served',
      );
    if (before !== state || state !== 'ok') this.onChange(state);
  }
}
