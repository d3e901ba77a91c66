import pg, { type Client, type ClientConfig, type Connection, type PoolClient } from 'pg';
import { EventEmitter } from 'node:events';
import { AnswerTimeouts } from '../../concurrency/answer-timeouts.js';
import { NoAnswer } from '../../errors/unavailable.js';
import { asNoAnswer } from '../sqlstate.js';
import { READ_ONLY, type ReportedSettings, type ServerHost, type ServerHosts } from './server-hosts.js';
import { setStatement, withoutSessionSettings } from './session-settings.js';

/** The server cancels a statement at `statement_timeout`; a response later than this after it is lost. */
const GRACE_MS = 500;
/** Timeout of closing a connection. */
const GOODBYE_MS = 1_000;
/** The share of a host in the connect timeout is a multiple of this. */
const SHARE_STEP_MS = 50;

/** Statements that begin a transaction, as TypeORM and the service write them. */
const BEGIN = /^(BEGIN|START TRANSACTION)\b/;
/** Asked instead of what the server reports, which a pooler may have remembered from another server. */
const READ_ONLY_STATE = `SELECT current_setting('transaction_read_only') AS "readOnly"`;

/** The settings of a connection with timeouts. */
export interface BoundedSettings extends ClientConfig {
  /** The servers to choose from, when there are several; `connectionString` names the first. */
  hosts?: ServerHosts;
  /** Called when it was closed because of silence or a read-only server: other connections may be lost as well. */
  onLoss?: () => void;
  /** While it returns false, opening a connection fails at once. */
  mayConnect?: () => boolean;
  /** Whether a statement sets the session settings, because a pooler drops those of the session start. */
  setsAfterConnect?: boolean;
  /**
   * Present behind a pooler in transaction mode: a statement that each transaction begins with. The settings of sessions
   * are those of the role there, so connections send none.
   */
  transactionSettings?: string;
  /** Called with a new connection, which is closed when it rejects. */
  afterConnect?: (client: pg.Client) => Promise<void>;
}

const timeouts = new Map<number, AnswerTimeouts>();

function timeoutsOf(ms: number): AnswerTimeouts {
  const known = timeouts.get(ms) ?? new AnswerTimeouts(ms);
  timeouts.set(ms, known);
  return known;
}

/**
 * pg's client with a timeout for responses of `statement_timeout` plus half a second; without that setting it waits as
 * pg does. A connection that is silent for longer was lost without notice (a failover, a dropped NAT entry): it is
 * closed, so that it is not reused. A statement with `query_timeout` has that timeout instead.
 */
export class BoundedClient extends pg.Client {
  private readonly timeouts?: AnswerTimeouts;
  private answers = 0;
  /** The one of several hosts that it is connected to. */
  private serverHost?: ServerHost;
  private isEnding = false;
  /** In performance.now(). */
  readonly openedAt = performance.now();

  constructor(private readonly settings?: BoundedSettings) {
    super(settingsForPg(settings));
    // Without a listener, a lost connection would end the process, also while the session still opens. Users of the client
    // get the error from their next statement.
    this.on('error', () => undefined);
    const limit = Number(settings?.statement_timeout || 0);
    if (limit > 0) this.timeouts = timeoutsOf(limit + GRACE_MS);
    // promises get their timeout here, other queries in `expectAnswer`
    const ask = withTransactionSettings(super.query.bind(this), settings?.transactionSettings);
    this.query = ((...asked: unknown[]) => {
      const [first, ...rest] = asked as [{ query_timeout?: number } | string | undefined];
      const own = typeof first === 'object' ? first.query_timeout : undefined;
      // pg's own timeout would keep the connection, still busy with the abandoned statement
      const answer = own === undefined ? ask(...asked) : ask({ ...(first as object), query_timeout: 0 }, ...rest);
      return answer instanceof Promise ? this.bounded(answer, own) : answer;
    }) as typeof this.query;
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | void {
    const { connectionTimeoutMillis: limit = 0, mayConnect = () => true } = this.settings ?? {};
    const opened = mayConnect()
      ? this.open(limit).then(() => this.applySettings())
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

  private open(limitMs: number): Promise<unknown> {
    const { hosts } = this.settings ?? {};
    return hosts ? this.openOneOf(hosts, limitMs) : super.connect();
  }

  private async openOneOf(hosts: ServerHosts, limitMs: number): Promise<void> {
    // pg reports the end of a failed attempt late, when the next one is already in progress
    let isChoosing = true;
    this.emit = (event: string | symbol, ...args: unknown[]) =>
      !(isChoosing && event === 'end') && super.emit(event, ...args);
    try {
      this.serverHost = await hosts.choose(limitMs, (host, shareMs) => this.attempt(host, shareMs));
    } catch (error) {
      // an attempt may be in progress, or connected to a standby
      this.replaceConnection(this.settings ?? {});
      throw error;
    } finally {
      isChoosing = false;
    }
  }

  /** Connects to a host and returns what its server reports. */
  private async attempt({ url }: ServerHost, shareMs: number): Promise<ReportedSettings> {
    if (this.isEnding) throw new NoAnswer('The connection to the database is closed.');
    this.replaceConnection({ ...this.settings, connectionString: url });
    const reported = new Map<string, string>();
    const { connection } = this;
    connection.on('parameterStatus', (status: { parameterName: string; parameterValue: string }) =>
      reported.set(status.parameterName, status.parameterValue),
    );
    connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) this.leaveHost();
    });
    const opened = super.connect().then(() => this.askReadOnly(reported));
    if (shareMs === Infinity) await opened;
    else {
      const share = Math.max(1, Math.round(shareMs / SHARE_STEP_MS)) * SHARE_STEP_MS;
      await timeoutsOf(share).race(opened, () => new NoAnswer('The database did not accept a connection in time.'));
    }
    return reported;
  }

  /** Behind a pooler, replaces what it reported by what the server says. */
  private async askReadOnly(reported: Map<string, string>): Promise<void> {
    if (this.settings?.transactionSettings === undefined) return;
    // without the timeout of statements: the attempt has its own, and another attempt may have replaced this one
    const { rows } = await super.query<State>(READ_ONLY_STATE);
    reported.set('in_hot_standby', rows[0].readOnly);
    reported.delete('default_transaction_read_only');
  }

  /** Closes the connection and prepares another one, with all else that pg keeps about it. */
  private replaceConnection(settings: BoundedSettings): void {
    abandon(this.connection);
    takeFreshState(this, settingsForPg(settings));
    this.onNewConnection();
  }

  /** Called when the client has another connection, which is not open yet. */
  protected onNewConnection(): void {
    // for subclasses
  }

  /** New connections try the other hosts first, if there are several. */
  avoidHost(): void {
    if (this.serverHost) this.settings?.hosts?.avoid(this.serverHost);
  }

  /** The server became read-only: this connection closes, and others may lead to it as well. */
  private leaveHost(): void {
    this.avoidHost();
    this.cut();
    this.settings?.onLoss?.();
  }

  private async applySettings(): Promise<this> {
    const { setsAfterConnect, afterConnect } = this.settings ?? {};
    if (!setsAfterConnect && !afterConnect) return this;
    try {
      if (setsAfterConnect) await this.query(setStatement(this.settings!));
      await afterConnect?.(this);
    } catch (error) {
      this.cut();
      throw error;
    }
    return this;
  }

  /** Calls `expired` when no response arrives in time. Call the returned function with the response. */
  expectAnswer(expired: (error: Error) => void, ms?: number): () => void {
    const within = ms === undefined ? this.timeouts : timeoutsOf(ms);
    if (!within) return () => undefined;
    const { answers } = this;
    const answered = within.start(() => {
      // if others were answered meanwhile, the connection is only slow
      if (this.answers === answers) {
        this.cut();
        this.settings?.onLoss?.();
      }
      expired(new NoAnswer('The database did not answer in time.'));
    });
    return () => {
      this.answers++;
      answered();
    };
  }

  /** The error of a statement: NoAnswer if the connection is lost. */
  failureOf(error: Error): Error {
    return this.isEnding || !this.isQueryable || !this.connection.stream.writable ? asNoAnswer(error) : error;
  }

  /** False once the server has ended the session, which may be before its socket closes. */
  private get isQueryable(): boolean {
    return (this as unknown as { _queryable: boolean })._queryable;
  }

  private bounded<R>(answer: Promise<R>, ms?: number): Promise<R> {
    return new Promise((resolve, reject) => {
      const answered = this.expectAnswer(reject, ms);
      answer.then(resolve, (error: Error) => reject(this.failureOf(error))).finally(answered);
    });
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    this.isEnding = true;
    // closing a lost connection is never acknowledged, and a pool waits for it
    const cut = setTimeout(() => this.destroySocket(), GOODBYE_MS).unref();
    this.once('end', () => clearTimeout(cut));
    return callback ? super.end(callback) : super.end();
  }

  /** Closes the connection at once; its statements in progress fail. */
  cut(): void {
    this.isEnding = true;
    // a pool does not reuse a client that is ending
    super.end().catch(() => undefined);
    this.destroySocket();
  }

  private destroySocket(): void {
    this.connection.stream.destroy();
  }
}

/** The settings that pg gets. It measures the connect timeout by the clock; connect uses ticks. */
function settingsForPg(settings: BoundedSettings = {}): ClientConfig {
  const sent = settings.transactionSettings === undefined ? settings : withoutSessionSettings(settings);
  return { ...sent, connectionTimeoutMillis: 0 };
}

type Ask = (...asked: unknown[]) => unknown;
type State = { readOnly: string };

/** Appends the settings to each statement that begins a transaction; the same function without any. */
function withTransactionSettings(ask: Ask, settings?: string): Ask {
  if (settings === undefined) return ask;
  return (first, ...rest) =>
    ask(typeof first === 'string' && BEGIN.test(first) ? `${first}; ${settings}` : first, ...rest);
}

/** Closes a connection that is no longer of interest. */
function abandon(connection: Connection): void {
  connection.removeAllListeners();
  connection.on('error', () => undefined);
  connection.end();
  // the server may be silent
  setTimeout(() => connection.stream.destroy(), GOODBYE_MS).unref();
}

/** The members of every emitter: the listeners of a client stay. */
const OF_EMITTERS: ReadonlySet<string | symbol> = new Set(Reflect.ownKeys(new EventEmitter()));

/**
 * Gives a client the state of a new one with these settings, so that it can connect again: pg's clients connect only
 * once, and a pool knows them by identity. The connection it had must be closed before.
 */
function takeFreshState(client: Client, settings: ClientConfig): void {
  const fresh = new pg.Client(settings);
  for (const key of Reflect.ownKeys(fresh)) {
    if (OF_EMITTERS.has(key)) continue;
    Object.defineProperty(client, key, Object.getOwnPropertyDescriptor(fresh, key)!);
  }
}

type Connected = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void;

/** pg's pool, which reports that it got no connection as NoAnswer, whatever the reason. */
export class BoundedPool extends pg.Pool {
  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (!callback)
      return super.connect().catch((error: Error) => {
        throw asNoAnswer(error);
      });
    super.connect((error, client, done) => callback(error && asNoAnswer(error), client, done));
  }
}
