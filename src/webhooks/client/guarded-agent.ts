import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isAllowedAddress } from './addresses.js';
import type { HostNames } from './host-names.js';

/** As many as a process may have under way at a time, so that what hangs at one webhook of a host keeps no other waiting. */
const CONNECTIONS_PER_ORIGIN = 256;
const KEEP_ALIVE_MS = 4_000;
const MAX_KEEP_ALIVE_MS = 60_000;

/** A connection that is not made because of where it leads. */
export class ForbiddenAddress extends Error {}

export interface AgentSettings {
  production: boolean;
  /** How long a connection may take to come about, in milliseconds. */
  connectMs: number;
}

/**
 * Connections that are kept, to allowed addresses only. What a name leads to is judged when the connection is made, and
 * it is made to those same addresses, so that a name which leads elsewhere from one time to the next gains nothing.
 */
export function guardedAgent(names: HostNames, { production, connectMs }: AgentSettings): Agent {
  const refusalOf = (addresses: string[]) =>
    addresses.every((each) => isAllowedAddress(each, production)) ? null : new ForbiddenAddress();

  const lookup: LookupFunction = (name, { all }, callback) => {
    names.lookup(name).then(
      (found) => {
        const [{ address, family }] = found;
        const refusal = refusalOf(found.map((each) => each.address));
        return all ? callback(refusal, found) : callback(refusal, address, family);
      },
      (error: Error) => callback(error, ''),
    );
  };
  const connect = buildConnector({ timeout: connectMs, lookup, autoSelectFamily: true });

  return new Agent({
    connections: CONNECTIONS_PER_ORIGIN,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    // Whoever asks keeps one deadline for the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      const literal = options.hostname.replace(/^\[|\]$/g, '');
      // An address is never looked up.
      const refusal = isIP(literal) ? refusalOf([literal]) : null;
      if (refusal) return callback(refusal, null);
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null);
        const late = refusalOf([socket.remoteAddress ?? '']);
        if (!late) return callback(null, socket);
        socket.destroy();
        callback(late, null);
      });
    },
  });
}
