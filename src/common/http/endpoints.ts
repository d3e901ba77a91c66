import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** An endpoint that this API has, or is to have. */
export interface Endpoint {
  /** As `METHOD /path/:parameter`. */
  route: string;
  origin: 'specification' | 'beyond';
}

/** Three levels up from here lies the tree's root in src, four in dist. */
const FILES = ['../../../assets/endpoints.tsv', '../../../../assets/endpoints.tsv'];

/** All endpoints of the API, whether they work or not. */
export function readEndpoints(): Endpoint[] {
  const file = FILES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find(existsSync);
  if (file === undefined) throw new Error('assets/endpoints.tsv is missing');
  return endpointsIn(readFileSync(file, 'utf8'));
}

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
