import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isAllowedAddress } from './public-url.js';
import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';

/** Resolves host names. */
@Injectable()
export class HostNames {
  private readonly servers = new Resolver({ timeout: 2_000, tries: 2 });

  constructor(private readonly config: Config) {}

  /**
   * Returns at least one address of a name; throws if there is none. Production queries name servers directly: names
   * from the machine's own hosts file must not resolve, and a hanging server must not occupy a thread of this process.
   */
  async lookup(name: string): Promise<LookupAddress[]> {
    if (!this.config.production) return lookup(name, { all: true });
    const asked = await Promise.allSettled([this.servers.resolve4(name), this.servers.resolve6(name)]);
    const found = asked.flatMap((each, index) =>
      each.status === 'fulfilled' ? each.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    );
    if (found.length > 0) return found;
    throw (asked[0] as PromiseRejectedResult).reason;
  }
}

const KEEP_ALIVE_MS = 4_000;
const MAX_KEEP_ALIVE_MS = 60_000;

/** The connection was rejected because of its target address. */
export class ForbiddenAddress extends Error {}

interface AgentSettings {
  production: boolean;
  /** Maximum number of connections to one origin: as many requests as a process makes, so that those that hang block no others. */
  connections: number;
  /** Timeout for opening a connection, in milliseconds. */
  connectMs: number;
}

/**
 * Pools connections to allowed addresses only. It validates the resolved addresses and connects to exactly those, so
 * that a name that changes its addresses gains nothing.
 */
export function guardedAgent(names: HostNames, { production, connections, connectMs }: AgentSettings): Agent {
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
    connections,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    // The caller enforces one deadline for the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      const literal = options.hostname.replace(/^\[|\]$/g, '');
      // An address needs no DNS lookup.
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
