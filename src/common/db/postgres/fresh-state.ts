import { EventEmitter } from 'node:events';
import pg, { type Client, type ClientConfig } from 'pg';

/** The members of every emitter: the listeners of a client stay. */
const OF_EMITTERS: ReadonlySet<string | symbol> = new Set(Reflect.ownKeys(new EventEmitter()));

/**
 * Gives a client the state of a new one with these settings, so that it can connect again: pg's clients connect only
 * once, and a pool knows them by identity. The connection it had must be closed before.
 */
export function takeFreshState(client: Client, settings: ClientConfig): void {
  const fresh = new pg.Client(settings);
  for (const key of Reflect.ownKeys(fresh)) {
    if (OF_EMITTERS.has(key)) continue;
    Object.defineProperty(client, key, Object.getOwnPropertyDescriptor(fresh, key)!);
  }
}
