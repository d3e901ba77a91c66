import type PgBoss from 'pg-boss';
import type { DataSource } from 'typeorm';
import { inBackground } from '../concurrency/background.js';
import { rememberTimeouts } from '../db/query/session-timeouts.js';
import { run, sessionPoolOf, type TimedQuery } from '../db/query/statement.js';
import { assertOutsideTransaction } from '../db/query/transaction-guard.js';

/** Removing old rows may take longer than a request's statement. */
const MAINTENANCE_TIMEOUT_MS = 60_000;

/** Receives the outcome of each statement, whoever sent it: pg-boss does not report some failures. */
export interface Outcomes {
  succeeded(): void;
  failed(error: unknown): void;
}

/** The store for pg-boss and the workers: never inside a transaction, which they would silently leave. */
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
    inBackground(
      ended.finally(() => this.underway.delete(ended)),
      'a statement of the job queue',
    );
    return answer;
  }

  /** Resolves when no statement is in progress. */
  async idle(): Promise<void> {
    while (this.underway.size > 0) await Promise.all(this.underway);
  }

  private async one<R extends object>(text: string, values: unknown[]): Promise<{ rows: R[] }> {
    return { rows: await run<R>(this.dataSource.manager, { text, values }) };
  }

  /** A text without values may contain several statements, including their transaction. */
  private async several<R extends object>(text: string): Promise<{ rows: R[] }> {
    const client = await sessionPoolOf(this.dataSource).connect();
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
      // its transaction may still be open
      await client.query('ROLLBACK').catch((lost: Error) => (broken ??= lost));
      throw error;
    } finally {
      await restore().catch((lost: Error) => (broken ??= lost));
      client.off('error', onError);
      client.release(broken);
    }
  }
}
