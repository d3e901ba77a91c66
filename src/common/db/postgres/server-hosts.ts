import { hostAndPort, type TargetSessionAttrs } from '../../../config/database-url.js';
import { NoAnswer } from '../../errors/unavailable.js';

/** The SQLSTATE of a write on a standby. */
export const READ_ONLY = '25006';

/** SQLSTATE classes of temporary errors: connection, standby, resources, availability. As in libpq, others are final. */
const TEMPORARY = /^(08|25|53|57)/;

/** One of the servers of DATABASE_URL. */
export interface ServerHost {
  url: string;
  /** The host with its port. */
  place: string;
}

/** The settings that a server reports when a session begins (ParameterStatus), by name. */
export type ReportedSettings = ReadonlyMap<string, string>;

/** Servers answer, but none accepts writes. */
export class NoPrimary extends NoAnswer {
  readonly code = READ_ONLY;

  constructor(places: string) {
    super(`none of ${places} accepts writes`);
  }
}

/** The hosts of a DATABASE_URL that lists several. All connections of a process share it. */
export class ServerHosts {
  private readonly hosts: readonly ServerHost[];
  /** The last one that served. */
  private preferred: ServerHost;

  /** `urls`: one for each host, in the order of the first attempt. */
  constructor(
    urls: readonly string[],
    private readonly target: TargetSessionAttrs,
  ) {
    this.hosts = urls.map((url) => ({ url, place: hostAndPort(new URL(url)) }));
    [this.preferred] = this.hosts;
  }

  /** All hosts with their ports. */
  get places(): string {
    return this.hosts.map(({ place }) => place).join(', ');
  }

  /**
   * Attempts the hosts in order, the last good one first, and returns the first that is wanted. Each has an equal share
   * of the time left; 0 is no limit. Rejects with NoPrimary when a server answers but none is wanted, otherwise with the
   * last error, and at once with an error that is not temporary, such as a wrong password.
   */
  async choose(
    limitMs: number,
    attempt: (host: ServerHost, shareMs: number) => Promise<ReportedSettings>,
  ): Promise<ServerHost> {
    const deadline = limitMs > 0 ? performance.now() + limitMs : Infinity;
    const order = [this.preferred, ...this.hosts.filter((host) => host !== this.preferred)];
    let failure: unknown;
    let isAnswered = false;
    for (const [i, host] of order.entries()) {
      const left = deadline - performance.now();
      if (left <= 0) break;
      try {
        const reported = await attempt(host, left / (order.length - i));
        if (this.isWanted(reported)) return (this.preferred = host);
        isAnswered = true;
      } catch (error) {
        if (isFinal(error)) throw error;
        failure = error;
      }
    }
    throw isAnswered ? new NoPrimary(this.places) : failure;
  }

  /** The host became read-only: the next connection tries the host after it first. */
  avoid(host: ServerHost): void {
    if (this.preferred !== host) return;
    this.preferred = this.hosts[(this.hosts.indexOf(host) + 1) % this.hosts.length];
  }

  /** As libpq decides it. A pooler may not report these; the heartbeat notices a standby behind it. */
  private isWanted(reported: ReportedSettings): boolean {
    if (this.target === 'any') return true;
    return reported.get('in_hot_standby') !== 'on' && reported.get('default_transaction_read_only') !== 'on';
  }
}

function isFinal(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return typeof severity === 'string' && typeof code === 'string' && !TEMPORARY.test(code);
}
