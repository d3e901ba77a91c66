import type { QueryConfig } from 'pg';
import { NoAnswer } from '../../errors/unavailable.js';
import { BoundedClient, type BoundedSettings } from './bounded-client.js';
import { plainQuery, type ClientQuery } from './driver.js';
import { READ_ONLY } from './server-hosts.js';

/**
 * A connection to a server for one purpose, not delayed by other statements. It opens on demand, and again after a
 * loss. A statement has a timeout of `limitMs`, and opening half of that; after it they fail and the connection is
 * closed.
 */
export class ServerConnection {
  private client?: Promise<BoundedClient>;
  private last: Promise<unknown> = Promise.resolve();
  private closed = false;
  private readonly query = plainQuery;

  /** `takesLocks`: its statements may wait for locks, as long as `settings` allow outside the lane of short locks. */
  constructor(
    private readonly settings: BoundedSettings,
    private readonly limitMs: number,
    { takesLocks = false } = {},
  ) {
    const { transactionSettings } = settings;
    if (takesLocks && transactionSettings !== undefined)
      this.query = inOwnTransaction(plainQuery, transactionSettings, limitMs);
  }

  /** Runs a statement outside any transaction and returns its rows; one at a time. */
  run<R>(statement: QueryConfig): Promise<R[]> {
    const answer = this.last.then(() => this.ask<R>(statement));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.closed = true;
    await this.last;
    const client = await this.client?.catch(() => undefined);
    this.client = undefined;
    await client?.end();
  }

  /** The server is read-only: runs the next statement on a new connection, which may lead to another server. */
  renew(): void {
    const { client } = this;
    this.client = undefined;
    client
      ?.then((opened) => {
        opened.avoidHost();
        return opened.end();
      })
      .catch(() => undefined);
  }

  private async ask<R>(statement: QueryConfig): Promise<R[]> {
    if (this.closed) throw new NoAnswer('The connection to the database is closed.');
    const client = await (this.client ??= this.open());
    const timed = { ...statement, query_timeout: this.limitMs };
    try {
      return (await this.query(client, timed)).rows as R[];
    } catch (error) {
      // it was closed, which it reports only later
      if (error instanceof NoAnswer) this.client = undefined;
      if ((error as { code?: string }).code === READ_ONLY) this.renew();
      throw error;
    }
  }

  private open(): Promise<BoundedClient> {
    const client = new BoundedClient({ ...this.settings, connectionTimeoutMillis: this.limitMs / 2 });
    const forget = () => {
      if (this.client === opened) this.client = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    const opened = client.connect().then(() => client);
    opened.catch(forget);
    return opened;
  }
}

/**
 * Runs each statement in a transaction of its own that begins with `settings`: behind a pooler in transaction mode, a
 * statement has other settings than those of the role only in a transaction. `limitMs` is the timeout of BEGIN and COMMIT.
 */
export const inOwnTransaction =
  (query: ClientQuery, settings: string, limitMs?: number): ClientQuery =>
  async (client, config) => {
    const timed = (text: string) => ({ text, ...(limitMs !== undefined && { query_timeout: limitMs }) });
    await client.query(timed(`BEGIN; ${settings}`));
    try {
      const result = await query(client, config);
      await client.query(timed('COMMIT'));
      return result;
    } catch (error) {
      // a connection that does not answer is closed already
      if (!(error instanceof NoAnswer)) await client.query(timed('ROLLBACK')).catch(() => undefined);
      throw error;
    }
  };
