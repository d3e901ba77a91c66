import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirFailure } from '../../data-dir-failure.js';
import { StartFailure } from '../../start-failure.js';

/** With less than this left no store can be made, and none works for long. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;

/** Numbers under which the system's errors come out of WebAssembly. */
const NAMES: Record<number, string> = { 2: 'EACCES', 19: 'EDQUOT', 51: 'ENOSPC', 63: 'EPERM', 69: 'EROFS' };

/** SQLSTATEs of a store that cannot be read: broken inside, files missing, input and output. */
const BROKEN = /^(XX|58)/;

/**
 * Why the store in a directory cannot be opened, in words that its owner can act on. `opening`: it happened before the
 * first statement, where nothing but the state of the files and of the disk can be the reason.
 */
export function storeFailure(error: unknown, dataDir: string, { opening = false } = {}): unknown {
  if (error instanceof StartFailure) return error;
  const { errno, severity, code } = (error ?? {}) as { errno?: unknown; severity?: unknown; code?: unknown };
  // What PostgreSQL says has a severity, what the system says has none.
  const sqlState = typeof severity === 'string' ? String(code) : undefined;
  const reason = sqlState === undefined && typeof code === 'string' ? code : NAMES[Number(errno)];
  const known = dataDirFailure(reason, dataDir);
  if (known) return known;
  // PostgreSQL gave up in the middle of a statement.
  const isAborted = error instanceof Error && error.name === 'RuntimeError';
  const isBroken = opening || isAborted || (sqlState !== undefined && BROKEN.test(sqlState));
  const isFull = sqlState === '53100' || (isBroken && freeBytes(dataDir) < MIN_FREE_BYTES);
  if (isFull) return dataDirFailure('ENOSPC', dataDir);
  return isBroken ? damaged(dataDir, messageOf(error)) : error;
}

/** A store whose files are not all there, or not whole. */
export const damaged = (dataDir: string, how: string): StartFailure =>
  new StartFailure(
    `The store in ${join(dataDir, 'store')} is damaged (${how}); restore it from a backup, or move it away to begin with an empty one.`,
  );

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}

/** What PostgreSQL says; that it was aborted says nothing more. */
function messageOf(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0].slice(0, 200);
  return text === '' || /^(Aborted|PGlite)/.test(text) ? 'PostgreSQL does not start on it' : text;
}
