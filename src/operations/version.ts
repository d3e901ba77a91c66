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
