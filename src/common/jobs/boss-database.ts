import type PgBoss from 'pg-boss';
import type { DataSource } from 'typeorm';
import { rememberTimeouts } from '../db/query/session-timeouts.js';
import { poolOf, run, type TimedQuery } from '../db/query/statement.js';
import { assertOutsideTransaction } from '../db/query/transaction-guard.js';

/** Clearing away what is old may take longer than a request's statement. */
const MAINTENANCE_TIMEOUT_MS = 60_000;

/** Learns how it went with each statement, whoever asked for it: pg-boss keeps the failures of some to itself. */
export interface Outcomes {
  succeeded(): void;
  failed(error: unknown): void;
}

/** The store as pg-boss and the workers use it: never inside a transaction, which would be left without a word. */
export class BossDatabase implements PgBoss.Db {
  private readonly underway = new Set<Promise<unknown>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly outcomes: Outcomes,
  ) {}

  executeSql<R extends object>(text: string, values?: unknown[]): Promise<{ rows: R[] }> {
    assertOutsideTransaction(this.dataSource);
    const answer = values ? this.one<R>(text, values) : this.several<R>(text);
    const ended = answer.then(
      () => this.outcomes.succeeded(),
      (error) => this.outcomes.failed(error),
    );
    this.underway.add(ended);
    void ended.finally(() => this.underway.delete(ended));
    return answer;
  }

  /** When nothing is asked of the store any more. */
  async idle(): Promise<void> {
    while (this.underway.size > 0) await Promise.all(this.underway);
  }

  private async one<R extends object>(text: string, values: unknown[]): Promise<{ rows: R[] }> {
    return { rows: await run<R>(this.dataSource.manager, { text, values }) };
  }

  /** A text without values may hold several statements, a transaction of its own with them. */
  private async several<R extends object>(text: string): Promise<{ rows: R[] }> {
    const client = await poolOf(this.dataSource).connect();
    let broken: Error | undefined;
    const onError = (error: Error) => void (broken = error);
    client.on('error', onError);
    let restore = (): Promise<unknown> => Promise.resolve();
    try {
      restore = await rememberTimeouts((asked, values) => client.query(asked, values));
      await client.query(
        `SET statement_timeout = ${MAINTENANCE_TIMEOUT_MS}; SET lock_timeout = ${MAINTENANCE_TIMEOUT_MS}`,
      );
      const timed: TimedQuery = { text, query_timeout: MAINTENANCE_TIMEOUT_MS + 500 };
      const answers = (await client.query<R>(timed)) as { rows: R[] } | { rows: R[] }[];
      return Array.isArray(answers) ? (answers.at(-1) ?? { rows: [] }) : answers;
    } catch (error) {
      // it may have left its transaction open
      await client.query('ROLLBACK').catch((lost: Error) => (broken ??= lost));
      throw error;
    } finally {
      await restore().catch((lost: Error) => (broken ??= lost));
      client.off('error', onError);
      client.release(broken);
    }
  }
}
