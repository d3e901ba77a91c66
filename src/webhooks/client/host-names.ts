import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';

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
