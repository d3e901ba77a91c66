import { readAsset } from '../../asset.js';

/** An endpoint that this API has or plans. */
export interface Endpoint {
  /** As `METHOD /path/:parameter`. */
  route: string;
  origin: 'specification' | 'beyond';
  /** Part and section of the specification, such as `3, 4.6`; absent beyond it. */
  section?: string;
}

/** All endpoints of the API, supported or not. */
export const readEndpoints = (): Endpoint[] => endpointsIn(readAsset('endpoints.tsv'));

/** Reads lines of method, path, origin and section, below a header line. */
function endpointsIn(list: string): Endpoint[] {
  return list
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [method, path, origin, section] = line.trim().split('\t');
      return { route: `${method} ${path}`, origin: origin === 'beyond' ? 'beyond' : 'specification', section };
    });
}

/** Routes that differ only in parameter names are the same. */
export const withoutNames = (route: string): string => route.replace(/:\w+/g, ':');
