import type { ClientBase, ClientConfig, Pool, QueryConfig } from 'pg';
import type { Config } from '../../../config/config.js';
import { BoundedClient } from './bounded-client.js';

/** The result of a statement. */
export interface QueryResult {
  rows: object[];
}

/** Runs a statement on a connection, after those queued before. */
export type ClientQuery = (client: Pick<ClientBase, 'query'>, config: QueryConfig) => Promise<QueryResult>;

/** The usage of some connections. */
export interface ConnectionsInUse {
  open: number;
  /** The number of busy ones. */
  used: number;
  /** The maximum number. */
  max: number;
  /** For shared connections, the statements in progress; otherwise those that wait for a free connection. */
  waiting: number;
}

/** The usage of the connections of a pool. */
export const connectionsInUse = ({ totalCount, idleCount, waitingCount, options }: Pool): ConnectionsInUse => ({
  open: totalCount,
  used: totalCount - idleCount,
  max: options.max,
  waiting: waitingCount,
});

/** Connections outside the pool, each with many concurrent statements. */
export interface SharedConnections {
  /** Runs a statement outside any transaction. */
  query(config: QueryConfig): Promise<QueryResult>;
  readonly inUse: ConnectionsInUse;
  /** Sends no more statements to silent busy connections, nor to idle ones: they may be lost. */
  renew(): void;
  /** Closes them after their statements in progress. */
  close(): Promise<void>;
}

/** An interface to pg. All drivers return the same results and errors for the same statements. */
export interface Driver {
  readonly name: Config['databaseDriver'];
  /** The class of a connection, inside and outside the pool. */
  readonly Client: new (settings?: ClientConfig) => BoundedClient;
  readonly query: ClientQuery;
  /** Opens at most `max` shared connections, on demand. Absent in a driver without shared connections. */
  pipelined?(settings: ClientConfig, max: number): SharedConnections;
}

/** Runs a statement with pg's documented interface. */
export const plainQuery: ClientQuery = (client, config) => client.query(config);

/** Uses only pg's documented interface. */
export const PLAIN_DRIVER: Driver = { name: 'plain', Client: BoundedClient, query: plainQuery };

/** The same without named statements, for a pooler in transaction mode that does not track them. */
export const UNNAMED_DRIVER: Driver = {
  ...PLAIN_DRIVER,
  query: (client, { text, values }) => client.query({ text, values }),
};
