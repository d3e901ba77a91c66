import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { DatabaseUrlError, parseDatabaseUrl } from './database-url.js';
import { parseRedisUrl } from './redis-url.js';

export type Environment = Record<string, string | undefined>;

/** Whether a value is a day of the calendar, such as `2026-11-01`. */
export const isCalendarDate = (given: unknown): boolean =>
  typeof given === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(given) &&
  new Date(`${given}T00:00:00Z`).toString() !== 'Invalid Date' &&
  new Date(`${given}T00:00:00Z`).toISOString().startsWith(given);

/** Ids begin with the time, from July 2026 on. */
const FIRST_TIME = new Date('2026-07-01T00:00:00Z');
const LAST_TIME = new Date('2050-01-01T00:00:00Z');

/**
 * Reads environment variables, with one method for each kind of value. A method records a mistake and returns the
 * default, so that one start reports all mistakes.
 */
export class EnvironmentReader {
  readonly mistakes: string[] = [];
  /** The names of all variables that were read, set or not. */
  readonly names = new Set<string>();

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
    this.names.add(name);
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

  int(name: string, byDefault: number, min: number, max: number): number {
    const given = this.text(name);
    if (given === undefined) return byDefault;
    const value = /^\d+$/.test(given) ? Number(given) : NaN;
    if (value >= min && value <= max) return value;
    this.refuse(name, `must be a whole number from ${min} to ${max}, not "${given}"`);
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

  /** A time with its zone, such as `2026-12-24T18:00:00Z`. */
  time(name: string): Date | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    const value = new Date(given);
    const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(given);
    if (isTime && value >= FIRST_TIME && value < LAST_TIME) return value;
    this.refuse(name, `must be a time from July 2026 to 2049, such as 2026-12-24T18:00:00Z, not "${given}"`);
    return undefined;
  }

  /** A day of the calendar, such as `2026-11-01`. */
  date(name: string): string | undefined {
    const given = this.text(name);
    if (given === undefined || isCalendarDate(given)) return given;
    this.refuse(name, `must be a date such as 2026-11-01, not "${given}"`);
    return undefined;
  }

  /** The URL of Redis, of its sentinels or of a Redis Cluster. */
  redisUrl(name: string): string | undefined {
    return this.parsed(name, parseRedisUrl);
  }

  /** The URL of PostgreSQL, which may list several hosts. */
  databaseUrl(name: string): string | undefined {
    return this.parsed(name, parseDatabaseUrl);
  }

  /** A text that `parse` understands; the message of its error is the mistake. */
  private parsed(name: string, parse: (given: string) => unknown): string | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    try {
      parse(given);
      return given;
    } catch (error) {
      this.refuse(name, (error as Error).message);
      return undefined;
    }
  }

  /** Comma-separated URLs of PostgreSQL, each of one host. */
  databaseUrls(name: string): string[] {
    const given = this.text(name);
    if (given === undefined) return [];
    // a comma elsewhere belongs to a URL
    const urls = given.split(/,(?=\s*postgres(?:ql)?:\/\/)/).map((url) => url.trim());
    for (const [i, url] of urls.entries()) {
      try {
        if (url.endsWith(',')) throw new DatabaseUrlError('ends in a comma');
        if (parseDatabaseUrl(url).urls.length > 1)
          throw new DatabaseUrlError('lists several hosts; give each read replica a URL of its own');
        if (urls.indexOf(url) < i) throw new DatabaseUrlError('repeats an earlier one');
      } catch (error) {
        const nth = urls.length > 1 ? `URL ${i + 1} of its list ` : '';
        this.refuse(name, `${nth}${(error as DatabaseUrlError).message}`);
      }
    }
    return this.isRefused(name) ? [] : urls;
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

const isNetwork = (given: string) => (given.includes('/') ? ipaddr.isValidCIDR(given) : ipaddr.isValid(given));

/** From OpenTelemetry's own variables: an exporter or an endpoint enables spans. */
export function tracesExporterOf(env: Environment): string | undefined {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return undefined;
  const exporter = env.OTEL_TRACES_EXPORTER?.trim();
  if (exporter) return exporter === 'none' ? undefined : exporter;
  return env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ? 'otlp' : undefined;
}
