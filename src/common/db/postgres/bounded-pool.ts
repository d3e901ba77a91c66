import pg, { type PoolClient } from 'pg';
import { asNoAnswer } from './lost-connection.js';

type Connected = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void;

/** pg's pool, which reports that it got no connection as NoAnswer, whatever the reason. */
export class BoundedPool extends pg.Pool {
  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (!callback)
      return super.connect().catch((error: Error) => {
        throw asNoAnswer(error);
      });
    super.connect((error, client, done) => callback(error && asNoAnswer(error), client, done));
  }
}
