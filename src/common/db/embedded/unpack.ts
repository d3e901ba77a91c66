import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A tar archive is a sequence of blocks of this size. */
const BLOCK = 512;
const FILES = new Set(['0', '\0']);
const FOLDER = '5';

/**
 * Unpacks the dump of a store, a compressed tar archive, into a new directory that only this user may read. The store itself
 * could do it: its file system in WebAssembly takes three seconds and 200 MB that the process keeps. The package `tar` takes twice as
 * long as this, and leaves directories open to others.
 */
export function unpackStore(dump: Buffer, directory: string): void {
  const archive = gunzipSync(dump);
  const folders = new Set<string>();
  const makeFolder = (path: string) => {
    if (!folders.has(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
    folders.add(path);
  };
  makeFolder(directory);
  for (let at = 0; at < archive.length && archive[at] !== 0;) {
    const header = archive.subarray(at, at + BLOCK);
    const path = join(directory, text(header, 345, 155), text(header, 0, 100));
    const size = parseInt(text(header, 124, 12), 8);
    const type = header.toString('latin1', 156, 157);
    at += BLOCK;
    if (type === FOLDER) {
      makeFolder(path);
      continue;
    }
    if (!FILES.has(type) || at + size > archive.length) throw new Error(`${path}: not a dump of a store`);
    makeFolder(dirname(path));
    writeFileSync(path, archive.subarray(at, at + size), { mode: 0o600 });
    at += Math.ceil(size / BLOCK) * BLOCK;
  }
}

/** A field of a header, which ends with a zero unless it is full. */
function text(header: Buffer, from: number, length: number): string {
  const end = header.subarray(from, from + length).indexOf(0);
  return header.toString('utf8', from, from + (end < 0 ? length : end));
}
