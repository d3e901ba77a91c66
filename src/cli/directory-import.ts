import { EntriesRefused, MOST_ENTRIES, type DirectoryService } from '../audiences/directory/directory.service.js';
import type { DirectoryEntry, EntryProblem } from '../audiences/directory/directory-entry.js';
import { readUsers, sizeOfFile } from './directory-file.js';
import { Refusal } from './refusal.js';

/** Mistakes beyond these are only counted. */
const MOST_TOLD = 20;
const PROGRESS_MS = 2_000;
/** A batch also ends with so many names and identifiers, so that none takes long. */
const MOST_VALUES = 50_000;

/** What came of an import. */
export interface Imported {
  lines: number;
  made: number;
  known: number;
}

type Tell = (progress?: string) => void;

/**
 * Imports a file of users: all of it is read and checked before anything is stored, then stored batch by batch. What the
 * store itself refuses ends it there; the batches before stay, and the file may be imported again.
 */
export async function importUsers(
  directory: DirectoryService,
  path: string,
  { checkOnly = false, tell = () => undefined }: { checkOnly?: boolean; tell?: Tell },
): Promise<Imported> {
  const imported: Imported = { lines: 0, made: 0, known: 0 };
  const size = sizeOfFile(path);
  try {
    imported.lines = await checkFile(
      path,
      every(PROGRESS_MS, (bytes: number) => tell(`checked ${percent(bytes, size)}`)),
    );
    if (checkOnly) return imported;
    let done = 0;
    const stored = every(PROGRESS_MS, () => tell(`stored ${done} of ${imported.lines} users`));
    for await (const batch of batchesOf(path)) {
      const { made, known } = await storeBatch(directory, batch, done);
      imported.made += made;
      imported.known += known;
      done += batch.length;
      stored();
    }
    return imported;
  } finally {
    tell();
  }
}

/** How many users a file has; what is wrong with it is refused, each line and field named. */
async function checkFile(path: string, read: (bytes: number) => void): Promise<number> {
  const told: string[] = [];
  let wrong = 0;
  let users = 0;
  for await (const { line, problems = [] } of readUsers(path, read)) {
    users++;
    wrong += problems.length;
    for (const problem of problems) if (told.length < MOST_TOLD) told.push(describe(line, problem));
  }
  if (wrong === 0) return users;
  const more = wrong > told.length ? `\n  and ${wrong - told.length} more` : '';
  throw new Refusal(`nothing was imported:\n  ${told.join('\n  ')}${more}`);
}

interface Placed {
  line: number;
  entry: DirectoryEntry;
}

async function storeBatch(
  directory: DirectoryService,
  batch: Placed[],
  before: number,
): Promise<{ made: number; known: number }> {
  try {
    return await directory.store(batch.map(({ entry }) => entry));
  } catch (error) {
    if (!(error instanceof EntriesRefused)) throw error;
    const told = error.problems.slice(0, MOST_TOLD).map((problem) => describe(batch[problem.place].line, problem));
    throw new Refusal(
      `the users before line ${batch[0].line} were imported (${before}), the others not:\n  ${told.join('\n  ')}`,
    );
  }
}

async function* batchesOf(path: string): AsyncGenerator<Placed[]> {
  let batch: Placed[] = [];
  let values = 0;
  for await (const { line, entry } of readUsers(path)) {
    if (!entry) throw new Refusal(`line ${line} was changed while the file was imported`);
    batch.push({ line, entry });
    values += weightOf(entry);
    if (batch.length < MOST_ENTRIES && values < MOST_VALUES) continue;
    yield batch;
    batch = [];
    values = 0;
  }
  if (batch.length > 0) yield batch;
}

const weightOf = ({ follows = [], lists, identifiers }: DirectoryEntry): number =>
  [follows, ...Object.values(lists), ...Object.values(identifiers)].reduce((sum, each) => sum + each.length, 0);

const LONGEST_SHOWN = 60;

function describe(line: number, { field, given, allowed }: EntryProblem): string {
  const shown = given === undefined ? '' : ` ${(JSON.stringify(given) ?? '').slice(0, LONGEST_SHOWN)}:`;
  return `line ${line}, ${field}:${shown} ${allowed}`;
}

/** Calls it at most so often. */
function every<A extends unknown[]>(ms: number, call: (...given: A) => void): (...given: A) => void {
  let last = performance.now();
  return (...given) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    call(...given);
  };
}

const percent = (part: number, whole: number): string => `${Math.floor((100 * part) / Math.max(1, whole))} %`;
