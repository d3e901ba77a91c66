import { isPlaceholder } from '../../errors/placeholder.js';
import { edits } from '../../../config/edit-distance.js';
import { serviceName } from './synonyms.js';

/** The method and path of an existing or planned endpoint; parameters are `:name`. */
export interface KnownEndpoint {
  method: string;
  path: string;
  /** Not implemented yet. */
  planned?: boolean;
}

/** A request without a route. */
export interface UnroutedRequest {
  method: string;
  /** Without its query and the prefix of its public URL. */
  path: string;
  sandbox: boolean;
}

/** The endpoint that was probably meant. */
export interface SuggestedRoute {
  endpoint: KnownEndpoint;
  /** The correct path, with the request's values as parameters. */
  path: string;
  sandbox: boolean;
  /** The errors of the requested path, in sentences; empty when it is correct. */
  mistakes: string[];
}

const MAX_PATH_LENGTH = 1_024;
const MAX_SEGMENTS = 16;
const VERSION = /^\d{1,3}(\.\d{1,2})?$/;
/** Ids have letters and digits only. */
const ID = /^[0-9a-z]+$/i;
const ANY_VERSION = /^v?\d{1,3}(\.\d{1,2})?$/i;

/** The cost of each mistake, relative to a wrong letter, which costs 1. */
const COSTS = { version: 0.5, method: 0.4, case: 0.2, suffix: 0.2, planned: 0.1 };

interface Asked {
  version: string;
  segments: string[];
  mistakes: string[];
  sandbox: boolean;
}

/** The endpoint whose path is most similar to the requested one; undefined when none is similar. */
export function similarEndpoint(
  request: UnroutedRequest,
  endpoints: readonly KnownEndpoint[],
): SuggestedRoute | undefined {
  if (request.path.length > MAX_PATH_LENGTH) return undefined;
  // an empty segment may be an id that the program did not have, or one slash too many
  const withEmpty = request.path.includes('//')
    ? closest(asAsked(request, true), request.method, endpoints)
    : undefined;
  return withEmpty ?? closest(asAsked(request), request.method, endpoints);
}

function closest(asked: Asked, method: string, endpoints: readonly KnownEndpoint[]): SuggestedRoute | undefined {
  if (asked.segments.length > MAX_SEGMENTS) return undefined;
  let best: { endpoint: KnownEndpoint; fit: Fit } | undefined;
  for (const endpoint of endpoints) {
    const fit = fitOf(asked, endpoint);
    if (!fit) continue;
    if (endpoint.method !== method) fit.cost += COSTS.method;
    if (endpoint.planned) fit.cost += COSTS.planned;
    if (!best || fit.cost < best.fit.cost) best = { endpoint, fit };
  }
  if (!best) return undefined;
  const { endpoint, fit } = best;
  return { endpoint, path: fit.path, sandbox: asked.sandbox, mistakes: [...asked.mistakes, ...fit.mistakes] };
}

/** A parsed path, with its mistakes that do not depend on the endpoint. `withEmpty`: segments between others may be empty. */
function asAsked({ path, sandbox }: UnroutedRequest, withEmpty = false): Asked {
  const segments = withEmpty ? path.replace(/^\/|\/$/g, '').split('/') : path.split('/').filter(Boolean);
  const mistakes: string[] = [];
  if (path.length > 1 && path.endsWith('/')) mistakes.push('The path does not end with a slash.');
  if (!withEmpty && /\/\/+./.test(path)) mistakes.push('The path has no double slashes.');
  const below = !sandbox && segments[0]?.toLowerCase() === 'sandbox';
  if (below) {
    segments.shift();
    mistakes.push('This is the URL of the sandbox.');
  }
  const version = ANY_VERSION.test(segments[0] ?? '') ? segments.shift()! : '';
  return { version, segments, mistakes, sandbox: sandbox || below };
}

interface Fit {
  cost: number;
  path: string;
  mistakes: string[];
}

function fitOf({ version, segments }: Asked, { path }: KnownEndpoint): Fit | undefined {
  const wanted = path.split('/').filter(Boolean);
  const wantedVersion = VERSION.test(wanted[0] ?? '') ? wanted.shift()! : '';
  if (wanted.length !== segments.length || wanted.length === 0 || path.includes('*')) return undefined;
  // X's API for posts and users, not an old version of the one for ads
  if (version === '1.1' && wantedVersion === '12') return undefined;
  const fit: Fit = { cost: 0, path: '', mistakes: [] };
  if (version !== wantedVersion) {
    fit.cost += COSTS.version;
    fit.mistakes.push(versionMistake(version, wantedVersion));
  }
  const filled: string[] = wantedVersion ? [wantedVersion] : [];
  for (const [i, name] of wanted.entries()) {
    const given = segments[i];
    if (given === '') {
      if (!name.startsWith(':')) return undefined;
      filled.push(name);
      fit.mistakes.push(`${name.slice(1)} is empty.`);
      continue;
    }
    if (name.endsWith('_id') && name.startsWith(':') && !ID.test(given) && !isPlaceholder(given)) return undefined;
    filled.push(name.startsWith(':') ? given : name);
    if (name.startsWith(':') || name === given) continue;
    const bare = given.toLowerCase().replace(/\.json$/, '');
    if (serviceName(bare) === name && bare !== name) {
      fit.cost += COSTS.case;
      fit.mistakes.push(`Write ${name}, not ${given}.`);
      continue;
    }
    if (bare === name) {
      const isSuffixed = bare.length < given.length;
      fit.cost += isSuffixed ? COSTS.suffix : COSTS.case;
      fit.mistakes.push(isSuffixed ? 'Leave out .json at the end.' : `Write ${name}, not ${given}.`);
      continue;
    }
    const tolerated = Math.floor(name.length / 3);
    if (Math.abs(name.length - bare.length) > tolerated) return undefined;
    const distance = edits(bare, name);
    if (distance > tolerated) return undefined;
    fit.cost += distance;
    fit.mistakes.push(`Write ${name}, not ${given}.`);
  }
  fit.path = `/${filled.join('/')}`;
  return fit;
}

function versionMistake(given: string, wanted: string): string {
  if (wanted === '') return `The path has no version: leave out ${given}.`;
  return given === '' ? `The path begins with the version, ${wanted}.` : `The version is ${wanted}, not ${given}.`;
}
