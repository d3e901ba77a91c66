import { readFileSync, writeFileSync } from 'node:fs';

/** Resident memory of a process in MiB. */
export const residentOf = (pid: number): number => kept(pid, 'VmRSS');

const EVERY_MS = 50;

/** The most memory that a process holds while this watches, in MiB. */
export class MemoryWatch {
  private sampled: number;
  private readonly timer: NodeJS.Timeout;
  /** Whether the mark of the kernel stands for this time alone, and not for all since the start. */
  private readonly marked: boolean;

  constructor(private readonly pid: number) {
    this.marked = forgetHighest(pid);
    this.sampled = residentOf(pid);
    this.timer = setInterval(() => (this.sampled = Math.max(this.sampled, residentOf(pid))), EVERY_MS);
  }

  /** Ends it; what was seen every 50 ms, or what the kernel saw in between. */
  highest(): number {
    clearInterval(this.timer);
    return Math.max(this.sampled, this.marked ? kept(this.pid, 'VmHWM') : 0);
  }
}

const kept = (pid: number, what: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

/** Lets the kernel begin anew with the highest mark of a process (proc(5), clear_refs); false where it may not be asked to. */
function forgetHighest(pid: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return true;
  } catch {
    return false;
  }
}
