import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package root is two levels up from src, three from dist. */
const ROOTS = ['../../', '../../../'];

/** The place of a file or folder that ships with the service, by its path in the package; undefined if it is missing. */
export const shippedPath = (path: string): string | undefined =>
  ROOTS.map((root) => fileURLToPath(new URL(`${root}${path}`, import.meta.url))).find(existsSync);

/** The text of a file that ships with the service, by its path in the package. */
export function readShipped(path: string): string {
  const file = shippedPath(path);
  if (file === undefined) throw new Error(`${path} is missing`);
  return readFileSync(file, 'utf8');
}

/** The text of a file that ships with the service, by its path below `assets`. */
export const readAsset = (path: string): string => readShipped(`assets/${path}`);
