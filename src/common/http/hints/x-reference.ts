import { readAsset } from '../../asset.js';
import { serviceName } from './synonyms.js';

/** What this service has of an endpoint of X: it serves it, serves something else at its path, or has nothing there. */
const STATES = ['served', 'different', 'missing'] as const;

/** An endpoint of X's reference that is not in the specification, with X's names. */
export interface ReferenceEndpoint {
  method: string;
  /** Parameters are `:name`. */
  path: string;
  /** The subject, such as `tracking tags`. */
  group: string;
  state: (typeof STATES)[number];
}

/** The endpoints of X's reference: lines of method, path, group and state, below a header line. */
export const readReference = (): ReferenceEndpoint[] =>
  readAsset('x-reference.tsv')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [method, path, group, word] = line.split('\t');
      const state = STATES.find((each) => each === word);
      if (state === undefined) throw new Error(`assets/x-reference.tsv: ${word} is not a state of ${method} ${path}`);
      return { method, path, group, state };
    });

/** Whether this service has nothing at the path. */
export const isAbsent = ({ state }: ReferenceEndpoint): boolean => state === 'missing';

const segmentsOf = (path: string): string[] => path.split('/').filter(Boolean);

/** The absent endpoint with this path, with this method if there is one; undefined for other paths. */
export function absentEndpointAt(
  method: string,
  path: string,
  reference: readonly ReferenceEndpoint[],
): ReferenceEndpoint | undefined {
  const asked = segmentsOf(path.toLowerCase()).map(serviceName);
  const matching = reference.filter((each) => {
    if (!isAbsent(each)) return false;
    const segments = segmentsOf(each.path);
    return (
      segments.length === asked.length &&
      segments.every((segment, i) => segment.startsWith(':') || serviceName(segment) === asked[i])
    );
  });
  // `:media_key` matches every word, such as `upload`, which this service has
  const isServed = reference.some(
    (each) => !isAbsent(each) && segmentsOf(each.path).map(serviceName).join('/') === asked.join('/'),
  );
  return isServed ? undefined : (matching.find((each) => each.method === method) ?? matching[0]);
}

/** A sentence about an absent endpoint. */
export const absentHint = ({ method, path, group }: ReferenceEndpoint): string =>
  `${method} ${path} (${group}) is part of X's Ads API, and this service does not have it.`;
