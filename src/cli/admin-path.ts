import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Systems take 103 to 107 bytes for the path of a socket, and it is bound under a slightly longer name first. */
const LONGEST = 95;

/** Where the running service takes commands. */
export interface AdminPath {
  path: string;
  /** The folder it lies in, where that has to be one that nobody else may enter. */
  folder?: string;
}

/** In the data directory, or, where its path is too long for a socket, in a folder of ours under the temporary one. */
export function adminPath(dataDir: string, temporary = tmpdir()): AdminPath {
  const beside = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(beside) <= LONGEST) return { path: beside };
  const folder = join(temporary, `marquee-${process.getuid?.() ?? 0}`);
  const name = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 24);
  return { path: join(folder, `${name}.sock`), folder };
}

/** Whether it is a folder that only this user may enter: anybody may put something of its name there before us. */
export function isPrivate(folder: string): boolean {
  const about = lstatSync(folder, { throwIfNoEntry: false });
  return about !== undefined && about.isDirectory() && about.uid === process.getuid?.() && (about.mode & 0o077) === 0;
}

/** Makes the folder private, or throws when it is there and is not. */
export function takePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isPrivate(folder)) throw new Error(`${folder} has to be a folder that only this user may enter`);
}
