import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a line to the file of this process in a folder, unless it was seen; without a folder nothing is collected. */
export function collect(folder: string | undefined, seen: Set<string>, line: string): void {
  if (folder === undefined || seen.has(line)) return;
  seen.add(line);
  appendFileSync(join(folder, String(process.pid)), `${line}\n`);
}
