import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { newProgram, runCommand } from '../../src/cli/run.js';
import { ProcessTerminal } from '../../src/cli/terminal.js';
import type { Credentials } from './api.js';
import { world } from './app.js';

class SilentTerminal extends ProcessTerminal {
  stdout = '';
  stderr = '';
  override readonly width = undefined;
  override readonly isWatched = false;

  override out(text: string | Uint8Array): void {
    this.stdout += Buffer.from(text).toString();
  }

  override err(text: string): void {
    this.stderr += text;
  }
}

/** Carries out a command with these arguments. Rejects, as `execFile` does, when its exit code is not 0. */
export type CommandInside = (...argv: string[]) => Promise<{ stdout: string; stderr: string }>;

/**
 * A group of commands that run in this process, signed with these credentials. A process for each command would take a
 * second: one per group shows that the group is there.
 */
export function commandsInside(
  add: (program: Command, terminal: ProcessTerminal) => void,
  { consumer, token }: Credentials,
): CommandInside {
  const credentials = join(mkdtempSync(join(world().config.dataDir, 'commands-')), 'credentials.json');
  const keys = { consumer_key: consumer.key, consumer_secret: consumer.secret };
  const tokens = { access_token: token.key, access_token_secret: token.secret };
  writeFileSync(credentials, JSON.stringify({ base_url: world().url, ...keys, ...tokens }));
  return async (...argv) => {
    const terminal = new SilentTerminal();
    const program = newProgram(terminal);
    add(program, terminal);
    const code = await runCommand(program, [...argv, '--credentials', credentials], terminal);
    const { stdout, stderr } = terminal;
    if (code !== 0) throw Object.assign(new Error(`Command failed: ${argv.join(' ')}`), { code, stdout, stderr });
    return { stdout, stderr };
  };
}
