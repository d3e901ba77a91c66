import type { ClientBase, QueryConfig } from 'pg';

/** What came of a statement. */
export interface QueryResult {
  rows: object[];
}

/** Runs a statement on a connection, behind those that were given to it before. */
export type ClientQuery = (client: Pick<ClientBase, 'query'>, config: QueryConfig) => Promise<QueryResult>;

/** As everybody does it with pg. */
export const plainQuery: ClientQuery = (client, config) => client.query(config);
