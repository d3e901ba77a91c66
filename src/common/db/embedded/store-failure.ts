import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirFailure, StartFailure } from '../../start-failure.js';

/** With less free space no store can be created, and none works for long. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;

/** Error numbers of the system in WebAssembly. */
const NAMES: Record<number, string> = { 2: 'EACCES', 19: 'EDQUOT', 51: 'ENOSPC', 63: 'EPERM', 69: 'EROFS' };

/** SQLSTATEs of an unreadable store: corruption, missing files, I/O errors. */
const BROKEN = /^(XX|58)/;

/**
 * The reason that the store in a directory cannot be opened, with a remedy. `opening`: the error occurred before the
 * first statement, so that only the files or the disk can be the cause.
 */
export function storeFailure(error: unknown, dataDir: string, { opening = false } = {}): unknown {
  if (error instanceof StartFailure) return error;
  const { errno, severity, code } = (error ?? {}) as { errno?: unknown; severity?: unknown; code?: unknown };
  // Errors of PostgreSQL have a severity, errors of the system do not.
  const sqlState = typeof severity === 'string' ? String(code) : undefined;
  const reason = sqlState === undefined && typeof code === 'string' ? code : NAMES[Number(errno)];
  const known = dataDirFailure(reason, dataDir);
  if (known) return known;
  // PostgreSQL aborted during a statement.
  const isAborted = error instanceof Error && error.name === 'RuntimeError';
  const isBroken = opening || isAborted || (sqlState !== undefined && BROKEN.test(sqlState));
  const isFull = sqlState === '53100' || (isBroken && freeBytes(dataDir) < MIN_FREE_BYTES);
  if (isFull) return dataDirFailure('ENOSPC', dataDir);
  return isBroken ? damaged(dataDir, messageOf(error)) : error;
}

/** A store with missing or incomplete files. */
export const damaged = (dataDir: string, how: string): StartFailure =>
  new StartFailure(
    `The store in ${join(dataDir, 'store')} is damaged (${how}); restore it from a backup, or move the store away to begin with an empty one.`,
  );

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}

/** PostgreSQL's message; an abort adds nothing to it. */
function messageOf(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0].slice(0, 200);
  return text === '' || /^(Aborted|PGlite)/.test(text) ? 'PostgreSQL cannot start with it' : text;
}
