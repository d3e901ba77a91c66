import type { ClientConfig, QueryConfig } from 'pg';
import { coalesceWrites } from '../../../concurrency/coalesced-writes.js';
import { NoAnswer } from '../../../errors/unavailable.js';
import { asNoAnswer } from '../../sqlstate.js';
import type { ConnectionsInUse, QueryResult, SharedConnections } from '../driver.js';
import { preparedQuery } from './prepared-query.js';
import { WireClient } from './wire-client.js';

/** A busy connection without a response for this time gets no further statements. */
const SILENT_MS = 500;

interface PipelinedConnection {
  readonly opened: Promise<WireClient>;
  client?: WireClient;
  /** Number of its statements in progress. */
  underway: number;
  /** When it last responded, or received a statement while idle; in performance.now(). */
  heardAt: number;
}

/**
 * A few connections that statements outside transactions share, with many in progress on each: the next statement is
 * sent before the previous one is answered. A slow statement delays those behind it, so statements with large results,
 * those that wait for a lock, and jobs use pools instead, whose connections do not pipeline.
 */
export class PipelinedConnections implements SharedConnections {
  private connections: PipelinedConnection[] = [];
  /** Get no more statements, and are closed after those in progress. */
  private readonly leaving = new Set<PipelinedConnection>();
  private closed = false;

  /** `max`: maximum number of connections; briefly twice as many, while silent ones are replaced. */
  constructor(
    private readonly settings: ClientConfig,
    private readonly max: number,
  ) {}

  /** Runs a statement on the connection with the fewest in progress. */
  query(config: QueryConfig): Promise<QueryResult> {
    if (this.closed) return Promise.reject(new NoAnswer('The connections to the database are closed.'));
    const connection = this.leastLoaded();
    if (!connection) return Promise.reject(new NoAnswer('No connection to the database answers.'));
    // counted before any await, so that a burst spreads over the connections
    if (connection.underway++ === 0) connection.heardAt = performance.now();
    return this.send(connection, config).finally(() => this.answered(connection));
  }

  get inUse(): ConnectionsInUse {
    const busy = this.connections.filter(({ underway }) => underway > 0);
    const waiting = busy.reduce((sum, { underway }) => sum + underway, 0);
    return { open: this.connections.length, used: busy.length, max: this.max, waiting };
  }

  renew(): void {
    for (const connection of this.connections.splice(0)) this.leave(connection);
  }

  async close(): Promise<void> {
    this.closed = true;
    const all = [...this.connections.splice(0), ...this.leaving];
    const clients = await Promise.allSettled(all.map((connection) => connection.opened));
    await Promise.all(clients.flatMap((opened) => (opened.status === 'fulfilled' ? [opened.value.end()] : [])));
  }

  private async send(connection: PipelinedConnection, config: QueryConfig): Promise<QueryResult> {
    const client = connection.client ?? (await connection.opened);
    coalesceWrites(client.stream);
    return preparedQuery(client, config);
  }

  private answered(connection: PipelinedConnection): void {
    connection.heardAt = performance.now();
    if (--connection.underway > 0) return;
    if (this.leaving.has(connection)) this.leave(connection);
    // a silent connection has been replaced
    else if (this.connections.length > this.max && this.discard(connection)) this.leave(connection);
  }

  /**
   * The connection with the fewest statements in progress among those that respond; a new one if all are busy and the
   * limit allows. Undefined when all connections and their replacements are silent.
   */
  private leastLoaded(): PipelinedConnection | undefined {
    const heardSince = performance.now() - SILENT_MS;
    let found: PipelinedConnection | undefined;
    let answering = 0;
    for (const connection of this.connections) {
      if (connection.underway > 0 && connection.heardAt < heardSince) continue;
      answering++;
      if (!found || connection.underway < found.underway) found = connection;
    }
    if (found && (found.underway === 0 || answering >= this.max)) return found;
    return this.connections.length < 2 * this.max ? this.open() : found;
  }

  private open(): PipelinedConnection {
    const client = new WireClient({ ...this.settings, pipeline: true });
    const opened = client.connect().then(
      () => client,
      (error: Error) => {
        throw asNoAnswer(error);
      },
    );
    const connection: PipelinedConnection = { opened, underway: 0, heardAt: performance.now() };
    // pg has failed the statements of a lost connection; it must get no others
    const lost = () => {
      this.discard(connection);
      this.leaving.delete(connection);
    };
    client.on('error', lost);
    client.on('end', lost);
    connection.opened.then(() => void (connection.client = client), lost);
    this.connections.push(connection);
    return connection;
  }

  private discard(connection: PipelinedConnection): boolean {
    const index = this.connections.indexOf(connection);
    if (index >= 0) this.connections.splice(index, 1);
    return index >= 0;
  }

  /** Closes a connection without new statements as soon as none is in progress. */
  private leave(connection: PipelinedConnection): void {
    this.leaving.add(connection);
    if (connection.underway > 0) return;
    connection.opened
      .then((client) => client.end())
      .catch(() => undefined)
      .finally(() => this.leaving.delete(connection));
  }
}
