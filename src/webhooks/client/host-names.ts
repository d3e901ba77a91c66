import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config.js';

/** Where host names lead. */
@Injectable()
export class HostNames {
  private readonly servers = new Resolver({ timeout: 2_000, tries: 2 });

  constructor(private readonly config: Config) {}

  /**
   * The addresses of a name, at least one; throws where there is none. In production name servers are asked directly:
   * the machine's own names are nobody's webhook, and a server that hangs takes no thread of this process.
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
