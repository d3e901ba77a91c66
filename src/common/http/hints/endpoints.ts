import { readAsset } from '../../asset.js';

/** An endpoint of the specification, supported or not. */
export interface Endpoint {
  /** As `METHOD /path/:parameter`. */
  route: string;
  /** Part and section of the specification, such as `3, 4.6`. */
  section: string;
}

/** All endpoints of the specification: lines of method, path and section, below a header line. */
export const readEndpoints = (): Endpoint[] =>
  readAsset('endpoints.tsv')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [method, path, section] = line.trim().split('\t');
      return { route: `${method} ${path}`, section };
    });

/** Routes that differ only in parameter names are the same. */
export const withoutParameterNames = (route: string): string => route.replace(/:\w+/g, ':');
