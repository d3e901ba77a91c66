import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes a generated file. With `--check` compares instead, and makes the process fail when the checked-in file
 * differs.
 */
export function writeOrCheck(file: string, text: string, command: string): void {
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is stale: run \`${command}\` and commit the result.`);
    process.exitCode = 1;
  }
}
