import { readFileSync } from 'node:fs';

/** Two levels up from here lies the tree's root in src, three in dist. */
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

/** This release, as package.json names it. */
export const VERSION = manifest?.version ?? '0.0.0';
