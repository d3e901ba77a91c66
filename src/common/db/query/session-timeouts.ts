const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

type Ask = (text: string, values?: unknown[]) => Promise<unknown>;
type Timeouts = Record<(typeof TIMEOUTS)[number], string>;

/**
 * Reads the timeouts of a session and returns a function that restores them. RESET is not enough: behind a pooler the
 * session may have begun without them.
 */
export async function rememberTimeouts(ask: Ask): Promise<() => Promise<unknown>> {
  const columns = TIMEOUTS.map((name) => `current_setting('${name}') AS ${name}`);
  const answer = (await ask(`SELECT ${columns.join(', ')}`)) as Timeouts[] | { rows: Timeouts[] };
  const [found] = Array.isArray(answer) ? answer : answer.rows;
  const set = TIMEOUTS.map((name, i) => `set_config('${name}', $${i + 1}, false)`);
  return () =>
    ask(
      `SELECT ${set.join(', ')}`,
      TIMEOUTS.map((name) => found[name]),
    );
}
