import pg, { type ClientConfig } from 'pg';
import { AnswerTimeouts } from '../../answer-timeouts.js';
import { NoAnswer } from '../../errors/unavailable.js';
import { setStatement } from './session-settings.js';

/** The server gives a statement up at `statement_timeout`; an answer that is later than this after it is lost. */
const GRACE_MS = 500;
/** How long the goodbye of a connection may take. */
const GOODBYE_MS = 1_000;

/** The settings of a connection that is bounded. */
export interface BoundedSettings extends ClientConfig {
  /** Called when it was cut because it was silent: others may be lost as well. */
  onSilence?: () => void;
  /** While it says no, opening a connection fails at once. */
  mayConnect?: () => boolean;
  /** Whether session settings are set by a statement, because something in between drops those of the start of a session. */
  setsAfterConnect?: boolean;
}

const timeouts = new Map<number, AnswerTimeouts>();

function timeoutsOf(ms: number): AnswerTimeouts {
  const known = timeouts.get(ms) ?? new AnswerTimeouts(ms);
  timeouts.set(ms, known);
  return known;
}

/**
 * pg's client that does not wait longer for an answer than `statement_timeout` and half a second; without that setting it
 * waits as pg does. A connection that is silent for so long was lost without a word (a failover, a dropped NAT entry): it
 * is cut, so that nobody is given it again. A statement of which `query_timeout` says so has that time.
 */
export class BoundedClient extends pg.Client {
  private readonly timeouts?: AnswerTimeouts;
  private answers = 0;
  /** By performance.now(). */
  readonly openedAt = performance.now();

  constructor(private readonly settings?: BoundedSettings) {
    // pg counts that by the clock; connect does by ticks
    super({ ...settings, connectionTimeoutMillis: 0 });
    const limit = Number(settings?.statement_timeout || 0);
    if (limit > 0) this.timeouts = timeoutsOf(limit + GRACE_MS);
    // what is asked with a promise is bounded here, the rest by `expectAnswer`
    const ask = super.query.bind(this) as (...asked: unknown[]) => unknown;
    this.query = ((...asked: unknown[]) => {
      const [first, ...rest] = asked as [{ query_timeout?: number } | string | undefined];
      const own = typeof first === 'object' ? first.query_timeout : undefined;
      // pg's own timeout would leave the connection as it is, behind a statement that nobody waits for
      const answer = own === undefined ? ask(...asked) : ask({ ...(first as object), query_timeout: 0 }, ...rest);
      return answer instanceof Promise ? this.bounded(answer, own) : answer;
    }) as typeof this.query;
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | void {
    const { connectionTimeoutMillis: limit = 0, mayConnect = () => true } = this.settings ?? {};
    const opened = mayConnect()
      ? super.connect().then(() => this.applySettings())
      : Promise.reject(new NoAnswer('The database does not answer.'));
    const inTime =
      limit > 0
        ? timeoutsOf(limit).race(opened, () => {
            this.cut();
            return new NoAnswer('The database did not accept a connection in time.');
          })
        : opened;
    if (!callback) return inTime;
    inTime.then(
      () => callback(null),
      (error: Error) => callback(error),
    );
  }

  private async applySettings(): Promise<this> {
    if (this.settings?.setsAfterConnect) await this.query(setStatement(this.settings));
    return this;
  }

  /** Calls `expired` when nothing was answered in time. The returned function is to be called with the answer. */
  expectAnswer(expired: (error: Error) => void, ms?: number): () => void {
    const within = ms === undefined ? this.timeouts : timeoutsOf(ms);
    if (!within) return () => undefined;
    const { answers } = this;
    const answered = within.start(() => {
      // where others were answered meanwhile it was only slow
      if (this.answers === answers) {
        this.cut();
        this.settings?.onSilence?.();
      }
      expired(new NoAnswer('The database did not answer in time.'));
    });
    return () => {
      this.answers++;
      answered();
    };
  }

  private bounded<R>(answer: Promise<R>, ms?: number): Promise<R> {
    return new Promise((resolve, reject) => {
      const answered = this.expectAnswer(reject, ms);
      answer.then(resolve, reject).finally(answered);
    });
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    // a goodbye to a connection that was lost is never answered, and a pool waits for it
    const cut = setTimeout(() => this.destroySocket(), GOODBYE_MS).unref();
    this.once('end', () => clearTimeout(cut));
    return callback ? super.end(callback) : super.end();
  }

  /** Ends the connection without a goodbye; what is underway on it fails. */
  cut(): void {
    // a pool takes back nothing that is about to end
    super.end().catch(() => undefined);
    this.destroySocket();
  }

  private destroySocket(): void {
    (this.connection as unknown as { stream: { destroy(): void } }).stream.destroy();
  }
}
