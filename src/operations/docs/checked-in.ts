import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Writes a generated file; with `--check` compares instead, and has the process fail when the one checked in is another. */
export function writeOrCheck(file: string, text: string, command: string): void {
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is stale: run \`${command}\` and commit what it writes.`);
    process.exitCode = 1;
  }
}
