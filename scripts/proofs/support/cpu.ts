import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { childrenOf } from './child.js';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Seconds of a processor that a process and its children have used, also those that have ended. Linux alone tells. */
export function cpuSeconds(pid: number): number {
  const own = ticksOf(pid, 4);
  return childrenOf(pid).reduce((sum, child) => sum + ticksOf(child, 2), own) / TICKS_PER_SECOND;
}

/** utime, stime and, with 4, those of ended children (proc(5)). */
function ticksOf(pid: number, fields: 2 | 4): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name before them may contain anything
    const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return rest.slice(11, 11 + fields).reduce((sum, ticks) => sum + Number(ticks), 0);
  } catch {
    return 0;
  }
}
