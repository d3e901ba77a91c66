import type { ClientConfig, QueryConfig } from 'pg';
import { coalesceWrites } from '../../coalesced-writes.js';
import { query, type QueryResult } from './prepared-query.js';
import { WireClient } from './wire-client.js';

interface PipelinedConnection {
  readonly opened: Promise<WireClient>;
  client?: WireClient;
  /** Statements that were given to it and not answered yet. */
  underway: number;
}

/**
 * A few connections that statements outside transactions share, many underway on each: the next one is sent without
 * waiting for the answer to the one before. A slow statement holds up those behind it on its connection, so large answers
 * and jobs go elsewhere. The connections are none of the pool's, whose clients do not pipeline.
 */
export class PipelinedConnections {
  private readonly connections: PipelinedConnection[] = [];
  private closed = false;

  constructor(
    private readonly settings: ClientConfig,
    private readonly most: number,
  ) {}

  /** Runs a statement on the connection that has least to do. */
  query(config: QueryConfig): Promise<QueryResult> {
    if (this.closed) return Promise.reject(new Error('The connections to the database are closed.'));
    const connection = this.emptiest();
    // counted before anything is awaited, so that a burst spreads over the connections
    connection.underway++;
    return this.ask(connection, config).finally(() => connection.underway--);
  }

  /** Ends the connections, after what is underway on them has been answered. */
  async close(): Promise<void> {
    this.closed = true;
    const clients = await Promise.allSettled(this.connections.splice(0).map((connection) => connection.opened));
    await Promise.all(clients.flatMap((opened) => (opened.status === 'fulfilled' ? [opened.value.end()] : [])));
  }

  private async ask(connection: PipelinedConnection, config: QueryConfig): Promise<QueryResult> {
    const client = connection.client ?? (await connection.opened);
    coalesceWrites(client.stream);
    return query(client, config);
  }

  private emptiest(): PipelinedConnection {
    const free = this.connections.reduce<PipelinedConnection | undefined>(
      (a, b) => (a && a.underway <= b.underway ? a : b),
      undefined,
    );
    return free && (free.underway === 0 || this.connections.length >= this.most) ? free : this.open();
  }

  private open(): PipelinedConnection {
    const client = new WireClient({ ...this.settings, pipeline: true });
    const connection: PipelinedConnection = { opened: client.connect().then(() => client), underway: 0 };
    const drop = () => {
      const index = this.connections.indexOf(connection);
      if (index >= 0) this.connections.splice(index, 1);
    };
    // pg fails the statements of a lost connection; all that is left to do here is not to use it again
    client.on('error', drop);
    client.on('end', drop);
    connection.opened.then(() => void (connection.client = client), drop);
    this.connections.push(connection);
    return connection;
  }
}
