import { readFileSync } from 'node:fs';

/** The package root is two levels up from src, three from dist. */
const manifest = ['../../package.json', '../../../package.json']
  .map((path) => new URL(path, import.meta.url))
  .map(readJson)
  .find((each) => each?.name === 'marquee');

function readJson(url: URL): { name: string; version: string } | undefined {
  try {
    return JSON.parse(readFileSync(url, 'utf8')) as { name: string; version: string };
  } catch {
    return undefined;
  }
}

/** The version in package.json. */
export const VERSION = manifest?.version ?? '0.0.0';

/** The commit that this was built from; undefined where the build could not tell, and in tests. */
export const COMMIT = commitOf(new URL('../../commit', import.meta.url));

function commitOf(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8') || undefined;
  } catch {
    return undefined;
  }
}
