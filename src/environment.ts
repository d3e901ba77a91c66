import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { type DatabaseUrlError, parseDatabaseUrl } from './common/database-url.js';

export type Environment = Record<string, string | undefined>;

/**
 * Reads environment variables, with one method for each kind of value. A method records a mistake and returns the
 * default, so that one start reports all mistakes.
 */
export class EnvironmentReader {
  readonly mistakes: string[] = [];

  constructor(readonly env: Environment) {}

  refuse(name: string, problem: string): void {
    this.mistakes.push(`${name}: ${problem}`);
  }

  /** Whether a variable with this name prefix is invalid. */
  isRefused(name: string): boolean {
    return this.mistakes.some((mistake) => mistake.startsWith(name));
  }

  /** The text of a variable, or the content of the file that `<NAME>_FILE` names. Empty counts as absent. */
  text(name: string): string | undefined {
    const file = this.env[`${name}_FILE`];
    if (!file) return this.env[name]?.trim() || undefined;
    if (this.env[name]) this.refuse(name, `and ${name}_FILE are both set; set only one of them`);
    try {
      return readFileSync(file, 'utf8').trim() || undefined;
    } catch {
      this.refuse(`${name}_FILE`, 'names a file that cannot be read');
      return undefined;
    }
  }

  int(name: string, byDefault: number, least: number, most: number): number {
    const given = this.text(name);
    if (given === undefined) return byDefault;
    const value = /^\d+$/.test(given) ? Number(given) : NaN;
    if (value >= least && value <= most) return value;
    this.refuse(name, `must be a whole number from ${least} to ${most}, not "${given}"`);
    return byDefault;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], byDefault: T): T {
    const given = this.text(name);
    if (given === undefined) return byDefault;
    const value = allowed.find((each) => each === given);
    if (!value) this.refuse(name, `must be one of ${allowed.join(', ')}, not "${given}"`);
    return value ?? byDefault;
  }

  flag(name: string, byDefault: boolean): boolean {
    const value = this.oneOf(name, ['true', 'false', '1', '0'], byDefault ? 'true' : 'false');
    return value === 'true' || value === '1';
  }

  url(name: string, byDefault: string): URL {
    const given = this.text(name) ?? byDefault;
    const value = URL.canParse(given) ? new URL(given) : undefined;
    if (value && /^https?:$/.test(value.protocol) && !value.search && !value.hash && !value.username) return value;
    this.refuse(name, 'must be an http or https URL without query, fragment or user');
    return new URL(byDefault);
  }

  /** The URL of a server. */
  server(name: string, protocols: string[]): string | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    const unsupported = unsupportedPlace(given);
    if (unsupported) {
      this.refuse(name, `${unsupported} not supported yet; name one server, as in ${protocols[0]}//host:port`);
      return undefined;
    }
    if (URL.canParse(given) && protocols.includes(new URL(given).protocol)) return given;
    this.refuse(name, `must be a URL that begins with ${protocols.map((each) => `${each}//`).join(' or ')}`);
    return undefined;
  }

  /** The URL of PostgreSQL, which may list several hosts. */
  databaseUrl(name: string): string | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    try {
      parseDatabaseUrl(given);
      return given;
    } catch (error) {
      this.refuse(name, (error as DatabaseUrlError).message);
      return undefined;
    }
  }

  /** The comma-separated texts, including empty ones. */
  list(name: string): string[] {
    const parts = this.text(name)?.split(',') ?? [];
    return parts.map((each) => each.trim());
  }

  networks(name: string): string[] {
    const given = this.list(name).filter(Boolean);
    for (const each of given) {
      if (!isNetwork(each)) this.refuse(name, `"${each}" is neither an IP address nor a network such as 10.0.0.0/8`);
    }
    return given;
  }

  /** A key of 32 bytes, encoded as `given`. */
  key(name: string, given: string): Buffer | undefined {
    const value = /^[0-9a-f]{64}$/i.test(given) ? Buffer.from(given, 'hex') : Buffer.from(given, 'base64');
    if (value.length === 32) return value;
    this.refuse(name, 'must be 32 bytes, written in base64 or as 64 hexadecimal digits');
    return undefined;
  }

  /** The path of a program, searched in PATH; undefined for `none`, and when the default program is not installed. */
  program(name: string, byDefault: string): string | undefined {
    const given = this.text(name) ?? byDefault;
    if (given === 'none') return undefined;
    const places = given.includes('/')
      ? [resolve(given)]
      : (this.env.PATH ?? '').split(delimiter).map((folder) => join(folder, given));
    const found = places.find((place) => existsSync(place));
    if (!found && this.text(name) !== undefined) this.refuse(name, `names a program that does not exist: "${given}"`);
    return found;
  }
}

/** Parts of a URL that other software supports but this service does not, with their verb. */
function unsupportedPlace(given: string): string | undefined {
  const [, scheme = '', authority = given] = /^([\w+.-]+):\/\/([^/?#]*)/.exec(given) ?? [];
  if (/sentinel/i.test(scheme)) return 'Redis Sentinel is';
  if (/cluster/i.test(scheme)) return 'Redis Cluster is';
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  const isList = /^[^,]*[\w.\]-](:\d*)?,\s*\S/.test(hosts) || /[?&]host=[^&]*(,|%2c)/i.test(given);
  return isList ? 'a list of several hosts is' : undefined;
}

const isNetwork = (given: string) => (given.includes('/') ? ipaddr.isValidCIDR(given) : ipaddr.isValid(given));

/** From OpenTelemetry's own variables: an exporter or an endpoint enables spans. */
export function tracesExporterOf(env: Environment): string | undefined {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return undefined;
  const exporter = env.OTEL_TRACES_EXPORTER?.trim();
  if (exporter) return exporter === 'none' ? undefined : exporter;
  return env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ? 'otlp' : undefined;
}
