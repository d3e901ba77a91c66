import { readAsset } from '../../asset.js';

/** An endpoint that this API has, or is to have. */
export interface Endpoint {
  /** As `METHOD /path/:parameter`. */
  route: string;
  origin: 'specification' | 'beyond';
}

/** All endpoints of the API, whether they work or not. */
export const readEndpoints = (): Endpoint[] => endpointsIn(readAsset('endpoints.tsv'));

/** The endpoints of a list: lines of method, path and origin, the first one naming them. */
function endpointsIn(list: string): Endpoint[] {
  return list
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [method, path, origin] = line.trim().split('\t');
      return { route: `${method} ${path}`, origin: origin === 'beyond' ? 'beyond' : 'specification' };
    });
}

/** What a parameter is called does not make another route of it. */
export const withoutNames = (route: string): string => route.replace(/:\w+/g, ':');
