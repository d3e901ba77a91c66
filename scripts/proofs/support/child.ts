import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program is, looked for in PATH and in further folders; undefined if nowhere. */
export function whereIs(program: string, ...folders: string[]): string | undefined {
  return [...(process.env.PATH ?? '').split(delimiter), ...folders]
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
}

/** A proof cannot be made on this machine; the message is one sentence that says what is missing. */
export class Missing extends Error {}

export const lives = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

/** Signals a process and waits until it is gone; after `timeoutMs` it is killed. Answers whether it had to be. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals, timeoutMs = 30_000): Promise<boolean> {
  if (!lives(child)) return false;
  let forced = false;
  const ended = once(child, 'exit');
  child.kill(signal);
  const force = setTimeout(() => {
    forced = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  await ended;
  clearTimeout(force);
  return forced;
}

/** The processes that a process has started and that are still there. */
export function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child);
}

/** Signals a process that may be gone already. */
export function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
