import type { ClientBase, ClientConfig, QueryConfig } from 'pg';
import type { Config } from '../../../config.js';
import { BoundedClient } from './bounded-client.js';

/** What came of a statement. */
export interface QueryResult {
  rows: object[];
}

/** Runs a statement on a connection, behind those that were given to it before. */
export type ClientQuery = (client: Pick<ClientBase, 'query'>, config: QueryConfig) => Promise<QueryResult>;

/** How busy some connections are. */
export interface ConnectionsInUse {
  open: number;
  /** Of those, how many have something to do. */
  used: number;
  /** How many there may be. */
  most: number;
  /** Statements that are not answered yet, where many share a connection; else what waits for one that is free. */
  waiting: number;
}

/** Connections beside the pool, on each of which many statements may be underway. */
export interface SharedConnections {
  /** Runs a statement outside any transaction. */
  query(config: QueryConfig): Promise<QueryResult>;
  readonly inUse: ConnectionsInUse;
  /** Gives no more statements to connections that are silent while they have some, and none to idle ones: they may be lost. */
  renew(): void;
  /** Ends them, after what is underway on them has been answered. */
  close(): Promise<void>;
}

/** How the service uses pg. Whichever it is, the same statements have the same answers and errors. */
export interface Driver {
  readonly name: Config['databaseDriver'];
  /** The class of a connection, in the pool and beside it. */
  readonly Client: new (settings?: ClientConfig) => BoundedClient;
  readonly query: ClientQuery;
  /** Opens shared connections, `most` of them; each when it is needed. A driver that has none leaves this out. */
  pipelined?(settings: ClientConfig, most: number): SharedConnections;
}

/** Runs a statement with what pg documents. */
export const plainQuery: ClientQuery = (client, config) => client.query(config);

/** Uses nothing but what pg documents. */
export const PLAIN: Driver = { name: 'plain', Client: BoundedClient, query: plainQuery };
