import { readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';

export type Environment = Record<string, string | undefined>;

/** What reads variables of each kind. What is wrong with one is told to `refuse`, and its default answered: all mistakes are told at once. */
export function environmentReader(env: Environment, refuse: (name: string, problem: string) => void) {
  /** A variable's text; for secrets also the content of the file that `<NAME>_FILE` names. Empty counts as absent. */
  const text = (name: string): string | undefined => {
    const file = env[`${name}_FILE`];
    if (!file) return env[name]?.trim() || undefined;
    if (env[name]) refuse(name, `is set, and so is ${name}_FILE; keep one of them`);
    try {
      return readFileSync(file, 'utf8').trim() || undefined;
    } catch {
      refuse(`${name}_FILE`, 'names a file that cannot be read');
      return undefined;
    }
  };
  const whole = (name: string, byDefault: number, least: number, most: number): number => {
    const given = text(name);
    if (given === undefined) return byDefault;
    const value = /^\d+$/.test(given) ? Number(given) : NaN;
    if (value >= least && value <= most) return value;
    refuse(name, `must be a whole number from ${least} to ${most}, not "${given}"`);
    return byDefault;
  };
  const oneOf = <T extends string>(name: string, allowed: readonly T[], byDefault: T): T => {
    const given = text(name);
    if (given === undefined) return byDefault;
    const value = allowed.find((each) => each === given);
    if (!value) refuse(name, `must be one of ${allowed.join(', ')}, not "${given}"`);
    return value ?? byDefault;
  };
  const flag = (name: string, byDefault: boolean): boolean =>
    oneOf(name, ['true', 'false', '1', '0'], byDefault ? 'true' : 'false').match(/^(true|1)$/) !== null;
  const url = (name: string, byDefault: string): URL => {
    const given = text(name) ?? byDefault;
    const value = URL.canParse(given) ? new URL(given) : undefined;
    if (value && /^https?:$/.test(value.protocol) && !value.search && !value.hash && !value.username) return value;
    refuse(name, 'must be an http or https URL without query, fragment or user');
    return new URL(byDefault);
  };
  const service = (name: string, protocols: string[]): string | undefined => {
    const given = text(name);
    if (given === undefined) return undefined;
    const unsupported = unsupportedPlace(given);
    if (unsupported) {
      refuse(name, `${unsupported} not supported yet; name one server, as in ${protocols[0]}//host:port`);
      return undefined;
    }
    if (URL.canParse(given) && protocols.includes(new URL(given).protocol)) return given;
    refuse(name, `must be a URL that begins with ${protocols.map((each) => `${each}//`).join(' or ')}`);
    return undefined;
  };
  /** What stands between commas, what is empty included. */
  const list = (name: string): string[] =>
    text(name)
      ?.split(',')
      .map((each) => each.trim()) ?? [];
  const networks = (name: string): string[] => {
    const given = list(name).filter(Boolean);
    for (const each of given) {
      if (!isNetwork(each)) refuse(name, `"${each}" is neither an address nor a network such as 10.0.0.0/8`);
    }
    return given;
  };
  const key = (name: string, given: string): Buffer | undefined => {
    const value = /^[0-9a-f]{64}$/i.test(given) ? Buffer.from(given, 'hex') : Buffer.from(given, 'base64');
    if (value.length === 32) return value;
    refuse(name, 'must be 32 bytes, written in base64 or as 64 hexadecimal digits');
    return undefined;
  };

  return { text, whole, oneOf, flag, url, service, list, networks, key };
}

/** What a URL asks for that is known elsewhere, and not to this service, with its verb. */
function unsupportedPlace(given: string): string | undefined {
  const [, scheme = '', authority = given] = /^([\w+.-]+):\/\/([^/?#]*)/.exec(given) ?? [];
  if (/sentinel/i.test(scheme)) return 'Redis Sentinel is';
  if (/cluster/i.test(scheme)) return 'Redis Cluster is';
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  const isList = /^[^,]*[\w.\]-](:\d*)?,\s*\S/.test(hosts) || /[?&]host=[^&]*(,|%2c)/i.test(given);
  return isList ? 'a list of several hosts is' : undefined;
}

const isNetwork = (given: string) => (given.includes('/') ? ipaddr.isValidCIDR(given) : ipaddr.isValid(given));

/** By OpenTelemetry's own variables: an exporter, or a place to send spans to, switches them on. */
export function tracesExporterOf(env: Environment): string | undefined {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return undefined;
  const exporter = env.OTEL_TRACES_EXPORTER?.trim();
  if (exporter) return exporter === 'none' ? undefined : exporter;
  return env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ? 'otlp' : undefined;
}
