import {
  EntriesRefused,
  MAX_ENTRIES,
  type DirectoryImportService,
} from '../audiences/directory/directory-import.service.js';
import { atMostEvery, shareOf } from './progress.js';
import { CommandRefusal } from './refusal.js';
import type { Terminal } from './terminal.js';
import { createReadStream, statSync } from 'node:fs';
import { readEntry, type DirectoryEntry, type EntryProblem } from '../audiences/directory/directory-entry.rules.js';

/** The most mistakes that are listed; further ones are counted. */
const MAX_REPORTED = 20;
/** Intervals of progress: of the rewritten line on a terminal, and of added lines elsewhere. */
const REWRITTEN_MS = 100;
const ADDED_MS = 2_000;
/** The most names and identifiers of a batch, so that no batch takes long. */
const MAX_VALUES = 50_000;

/** The result of an import. */
interface ImportedUsers {
  lines: number;
  made: number;
  known: number;
}

/** The progress of an import. */
interface ImportProgress extends ImportedUsers {
  /** True if users are being stored; before that the file is checked. */
  isStoring: boolean;
  /** Of the file. */
  bytes: number;
  size: number;
  /** The duration of this phase. */
  seconds: number;
}

/** Progress as a line of text. */
export function describeProgress({ isStoring, lines, made, known, bytes, size, seconds }: ImportProgress): string {
  const users = isStoring ? `, ${made} new, ${known} updated` : '';
  // In the first second the rate means little.
  const rate = seconds < 1 ? '' : `, ${Math.round(lines / seconds)}/s`;
  return `${isStoring ? 'imported' : 'checked'} ${shareOf(bytes, size)}: ${lines} lines${users}${rate}`;
}

interface Importing {
  checkOnly?: boolean;
  /** The output for progress. */
  terminal: Pick<Terminal, 'isWatched' | 'progress'>;
}

/**
 * Imports a file of users. The whole file is checked before anything is stored, then stored in batches. An error of the
 * store ends the import; the batches before it stay, and the file can be imported again.
 */
export async function importUsers(
  directory: DirectoryImportService,
  path: string,
  { checkOnly = false, terminal }: Importing,
): Promise<ImportedUsers> {
  const size = sizeOfFile(path);
  const { isWatched } = terminal;
  /** Starts to show progress on a timer. */
  const shown = (isStoring: boolean) => {
    const begun = performance.now();
    const show = (done: ImportedUsers, bytes: number) => {
      const seconds = (performance.now() - begun) / 1_000;
      terminal.progress(describeProgress({ ...done, isStoring, bytes, size, seconds }));
    };
    const rewrittenMs = isStoring ? 0 : REWRITTEN_MS;
    return atMostEvery(isWatched ? rewrittenMs : ADDED_MS, show, { isDelayed: !isWatched });
  };
  try {
    const checked = shown(false);
    const lines = await checkFile(path, (lines, bytes) => checked({ lines, made: 0, known: 0 }, bytes));
    const imported: ImportedUsers = { lines, made: 0, known: 0 };
    if (checkOnly) return imported;
    const stored = shown(true);
    let done = 0;
    for await (const { users, end } of batchesOf(path)) {
      const { made, known } = await storeBatch(directory, users, done);
      imported.made += made;
      imported.known += known;
      done += users.length;
      stored({ ...imported, lines: done }, end);
    }
    return imported;
  } finally {
    terminal.progress();
  }
}

/** The number of users of a file; mistakes are a Refusal that names each line and field. */
async function checkFile(path: string, read: (lines: number, bytes: number) => void): Promise<number> {
  const reported: string[] = [];
  let wrong = 0;
  let users = 0;
  for await (const { line, end, problems = [] } of readUsers(path)) {
    users++;
    read(users, end);
    wrong += problems.length;
    for (const problem of problems) if (reported.length < MAX_REPORTED) reported.push(describe(line, problem));
  }
  if (wrong === 0) return users;
  const more = wrong > reported.length ? `\n  and ${wrong - reported.length} more` : '';
  throw new CommandRefusal(`nothing was imported:\n  ${reported.join('\n  ')}${more}`);
}

interface PlacedUser {
  line: number;
  entry: DirectoryEntry;
}

async function storeBatch(
  directory: DirectoryImportService,
  batch: PlacedUser[],
  before: number,
): Promise<{ made: number; known: number }> {
  try {
    return await directory.store(batch.map(({ entry }) => entry));
  } catch (error) {
    if (!(error instanceof EntriesRefused)) throw error;
    const problems = error.problems
      .slice(0, MAX_REPORTED)
      .map((problem) => describe(batch[problem.place].line, problem));
    throw new CommandRefusal(
      `the users before line ${batch[0].line} were imported (${before}), but not the others:\n  ${problems.join('\n  ')}`,
    );
  }
}

interface Batch {
  users: PlacedUser[];
  /** The offset of the end of its last line. */
  end: number;
}

async function* batchesOf(path: string): AsyncGenerator<Batch> {
  let users: PlacedUser[] = [];
  let values = 0;
  let last = 0;
  for await (const { line, end, entry } of readUsers(path)) {
    if (!entry) throw new CommandRefusal(`line ${line} changed during the import`);
    users.push({ line, entry });
    values += weightOf(entry);
    last = end;
    if (users.length < MAX_ENTRIES && values < MAX_VALUES) continue;
    yield { users, end };
    users = [];
    values = 0;
  }
  if (users.length > 0) yield { users, end: last };
}

const weightOf = ({ follows = [], lists, identifiers }: DirectoryEntry): number =>
  [follows, ...Object.values(lists), ...Object.values(identifiers)].reduce((sum, each) => sum + each.length, 0);

const MAX_SHOWN_LENGTH = 60;

function describe(line: number, { field, given, allowed }: EntryProblem): string {
  const shown = given === undefined ? '' : ` ${(JSON.stringify(given) ?? '').slice(0, MAX_SHOWN_LENGTH)}:`;
  return `line ${line}, ${field}:${shown} ${allowed}`;
}

/** The longest line. A longer one has more than a user can have. */
const MAX_LINE_LENGTH = 2 * 1024 * 1024;

/** A line of a file of users: its entry or its problems. */
interface ReadLine {
  line: number;
  /** The number of bytes of the file up to the end of the line. */
  end: number;
  entry?: DirectoryEntry;
  problems?: EntryProblem[];
}

/** The size of a file; only a regular file can be read twice. */
function sizeOfFile(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new CommandRefusal(`there is no file ${path}`);
  if (!stats.isFile())
    throw new CommandRefusal(`${path} is not a file; the command reads it twice, so a pipe does not work`);
  return stats.size;
}

/** Reads a file of users as a stream, one JSON object per line; empty lines are skipped. */
async function* readUsers(path: string): AsyncGenerator<ReadLine> {
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
    if (size > MAX_LINE_LENGTH)
      throw new CommandRefusal(`line ${line}: a line can have at most ${MAX_LINE_LENGTH} bytes`);
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
