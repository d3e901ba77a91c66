import { NoAnswer } from '../../errors/unavailable.js';
import type { ClientQuery } from './driver.js';

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
