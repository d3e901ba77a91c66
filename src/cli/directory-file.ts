import { createReadStream, statSync } from 'node:fs';
import type { DirectoryEntry, EntryProblem } from '../audiences/directory/directory-entry.js';
import { readEntry } from '../audiences/directory/directory-entry.rules.js';
import { Refusal } from './refusal.js';

/** The longest line. A longer one has more than a user can have. */
const MAX_LINE_LENGTH = 2 * 1024 * 1024;

/** A line of a file of users: its entry or its problems. */
export interface ReadLine {
  line: number;
  /** The number of bytes of the file up to the end of the line. */
  end: number;
  entry?: DirectoryEntry;
  problems?: EntryProblem[];
}

/** The size of a file; only a regular file can be read twice. */
export function sizeOfFile(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new Refusal(`there is no file ${path}`);
  if (!stats.isFile()) throw new Refusal(`${path} is not a file; the command reads it twice, so a pipe does not work`);
  return stats.size;
}

/** Reads a file of users as a stream, one JSON object per line; empty lines are skipped. */
export async function* readUsers(path: string): AsyncGenerator<ReadLine> {
  for await (const { line, end, bytes } of linesOf(path)) {
    const text = bytes
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trim();
    if (text === '') continue;
    const result = readEntry(parsed(text));
    yield 'entry' in result ? { line, end, entry: result.entry } : { line, end, problems: result.problems };
  }
}

interface Line {
  line: number;
  end: number;
  bytes: Buffer;
}

/** The lines of a file, numbered from 1. One line at a time is in memory, up to the longest length. */
async function* linesOf(path: string): AsyncGenerator<Line> {
  let line = 1;
  let done = 0;
  let begun: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const bytes = Buffer.concat([...begun, chunk.subarray(from, end)]);
      from = end + 1;
      yield { line: line++, end: done + from, bytes };
      begun = [];
      size = 0;
    }
    begun.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE_LENGTH) throw new Refusal(`line ${line}: a line can have at most ${MAX_LINE_LENGTH} bytes`);
    done += chunk.length;
  }
  yield { line, end: done, bytes: Buffer.concat(begun) };
}

/** Invalid JSON stays a text, which is then reported as not being an object. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
