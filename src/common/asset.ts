import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package root is two levels up from src, three from dist. */
const FOLDERS = ['../../assets/', '../../../assets/'];

/** The text of a file that ships with the service, by its path below `assets`. */
export function readAsset(path: string): string {
  const file = FOLDERS.map((folder) => fileURLToPath(new URL(`${folder}${path}`, import.meta.url))).find(existsSync);
  if (file === undefined) throw new Error(`assets/${path} is missing`);
  return readFileSync(file, 'utf8');
}
