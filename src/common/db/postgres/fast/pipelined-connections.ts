import type { ClientConfig, QueryConfig } from 'pg';
import { coalesceWrites } from '../../../coalesced-writes.js';
import type { QueryResult, SharedConnections } from '../driver.js';
import { preparedQuery } from './prepared-query.js';
import { WireClient } from './wire-client.js';

interface PipelinedConnection {
  readonly opened: Promise<WireClient>;
  client?: WireClient;
  /** Statements that were given to it and are not answered yet. */
  underway: number;
}

/**
 * A few connections that statements outside transactions share, with many underway on each: the next statement is sent
 * before the one in front of it is answered. A slow statement holds up those behind it on its connection, so statements
 * with large answers and jobs use the pool instead, whose connections do not pipeline.
 */
export class PipelinedConnections implements SharedConnections {
  private readonly connections: PipelinedConnection[] = [];
  private closed = false;

  constructor(
    private readonly settings: ClientConfig,
    private readonly most: number,
  ) {}

  /** Runs a statement on the connection with the fewest underway. */
  query(config: QueryConfig): Promise<QueryResult> {
    if (this.closed) return Promise.reject(new Error('The connections to the database are closed.'));
    const connection = this.leastLoaded();
    // counted before anything is awaited, so that a burst spreads over the connections
    connection.underway++;
    return this.send(connection, config).finally(() => connection.underway--);
  }

  async close(): Promise<void> {
    this.closed = true;
    const clients = await Promise.allSettled(this.connections.splice(0).map((connection) => connection.opened));
    await Promise.all(clients.flatMap((opened) => (opened.status === 'fulfilled' ? [opened.value.end()] : [])));
  }

  private async send(connection: PipelinedConnection, config: QueryConfig): Promise<QueryResult> {
    const client = connection.client ?? (await connection.opened);
    coalesceWrites(client.stream);
    return preparedQuery(client, config);
  }

  /** The connection with the fewest statements underway; a new one if all have some and there may be more. */
  private leastLoaded(): PipelinedConnection {
    const found = this.connections.reduce<PipelinedConnection | undefined>(
      (a, b) => (a && a.underway <= b.underway ? a : b),
      undefined,
    );
    return found && (found.underway === 0 || this.connections.length >= this.most) ? found : this.open();
  }

  private open(): PipelinedConnection {
    const client = new WireClient({ ...this.settings, pipeline: true });
    const connection: PipelinedConnection = { opened: client.connect().then(() => client), underway: 0 };
    // pg has failed the statements that were underway on a lost connection; no others may be given to it
    const discard = () => {
      const index = this.connections.indexOf(connection);
      if (index >= 0) this.connections.splice(index, 1);
    };
    client.on('error', discard);
    client.on('end', discard);
    connection.opened.then(() => void (connection.client = client), discard);
    this.connections.push(connection);
    return connection;
  }
}
