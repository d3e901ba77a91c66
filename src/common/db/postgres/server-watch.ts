import { Logger } from '@nestjs/common';
import { inBackground } from '../../concurrency/background.js';
import type { ServerConnection } from './own-connection.js';
import { NoPrimary } from './server-hosts.js';
import type { ServerTime } from './server-time.js';
import { skewOf, type Skew } from '../clock-skew.js';

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

const INTERVAL_MS = 500;
/** Number of measurements before requests are served: opening the connection slows the first response. */
const FIRST_MEASUREMENTS = 3;

/**
 * A heartbeat, with the server's time, whether it is read-only, as a standby is before its promotion, and how many
 * commits have waited for a synchronous standby for a second. A role sees only its own sessions, which is enough.
 */
const STATEMENT = {
  text: `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now, current_setting('transaction_read_only') = 'on' AS "readOnly",
    CASE WHEN current_setting('synchronous_standby_names') = '' THEN 0 ELSE (SELECT count(*) FROM pg_stat_activity
      WHERE wait_event = 'SyncRep' AND state_change < clock_timestamp() - interval '1 second') END::int AS "commitsWaiting"`,
};

interface Heartbeat {
  now: number;
  readOnly: boolean;
  commitsWaiting: number;
}

/** Whether a server serves requests, and why not. */
export type ServerState = 'ok' | 'read-only' | 'away';

/**
 * Sends the server a heartbeat twice a second on a separate connection, so that a silent or read-only server is
 * detected before requests are affected. The same response has its time.
 */
export class ServerWatch {
  private readonly logger = new Logger('Database');
  private readonly skewLog: SkewLog;
  private timer?: NodeJS.Timeout;
  private stopped = false;
  /** The state at the last heartbeat. */
  state: ServerState = 'ok';
  /** Commits that waited for a synchronous standby at the last heartbeat. */
  commitsWaiting = 0;

  /**
   * `onChange` is called while the server does not serve requests, and when it does again: earlier connections may be
   * lost, or lead to another server.
   */
  constructor(
    private readonly connection: ServerConnection,
    private readonly time: ServerTime,
    private readonly onChange: (state: ServerState) => void,
  ) {
    this.skewLog = new SkewLog(time);
    this.schedule();
  }

  /** Takes the first measurements of the server's time. */
  async begin(): Promise<void> {
    for (let i = 0; i < FIRST_MEASUREMENTS; i++) await this.measure();
    this.time.settle();
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
    if (!this.stopped)
      this.timer = setTimeout(() => inBackground(this.look(), 'watching PostgreSQL'), INTERVAL_MS).unref();
  }

  private async look(): Promise<void> {
    try {
      if (await this.measure()) {
        this.enter('read-only', 'is read-only, like a standby that is not promoted');
        // the address may lead to another server now
        this.connection.renew();
      } else this.enter('ok');
      this.skewLog.look();
    } catch (error) {
      if (this.stopped) return;
      if (error instanceof NoPrimary) this.enter('read-only', `has no primary (${error.message})`);
      else this.enter('away', `does not answer (${(error as Error).message})`);
    } finally {
      this.schedule();
    }
  }

  /** Whether the server is read-only. */
  private async measure(): Promise<boolean> {
    const sentAt = performance.now();
    const [{ now, readOnly, commitsWaiting }] = await this.connection.run<Heartbeat>(STATEMENT);
    this.time.observe(now, sentAt, performance.now());
    if (commitsWaiting > 0 && this.commitsWaiting === 0)
      this.logger.warn(
        'writes wait because no synchronous standby of PostgreSQL confirms them: start the standby, or change synchronous_standby_names',
      );
    this.commitsWaiting = commitsWaiting;
    return readOnly;
  }

  private enter(state: ServerState, trouble?: string): void {
    const before = this.state;
    this.state = state;
    if (before !== state)
      this.logger.warn(
        trouble
          ? `${trouble}: until it recovers, requests get 503 with retry-after, and /health/ready is 503`
          : 'answers again: requests are served again',
      );
    if (before !== state || state !== 'ok') this.onChange(state);
  }
}
