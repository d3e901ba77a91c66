import { readFileSync } from 'node:fs';

/** What one file may cost a process that reads it. */
export interface ProcessLimits {
  /** Resident memory. */
  memoryMib: number;
  /** Time on a processor, of all its threads. */
  processorMs: number;
  /** Time by the clock, which passes also while it waits for bytes or for a processor. */
  wallMs: number;
}

const LOOK_MS = 25;
/** Of proc(5), in which Linux counts time on a processor, to the second. */
const TICKS = 100;

/**
 * Watches a process until the returned function is called, and says once which limit it is beyond. Memory and time on a
 * processor are known on Linux only; elsewhere the time by the clock alone counts.
 */
export function watchProcess(
  pid: number,
  limits: ProcessLimits,
  beyond: (limit: keyof ProcessLimits) => void,
): () => void {
  const began = processorMsOf(pid);
  const stop = () => {
    clearInterval(looking);
    clearTimeout(late);
  };
  const end = (limit: keyof ProcessLimits) => {
    stop();
    beyond(limit);
  };
  const looking = setInterval(() => {
    const used = (processorMsOf(pid) ?? 0) - (began ?? 0);
    if (used > limits.processorMs) end('processorMs');
    else if ((residentMibOf(pid) ?? 0) > limits.memoryMib) end('memoryMib');
  }, LOOK_MS);
  const late = setTimeout(() => end('wallMs'), limits.wallMs);
  return stop;
}

/** Resident memory of a process; undefined where nobody tells. */
export function residentMibOf(pid: number): number | undefined {
  const found = /^VmRSS:\s+(\d+)/m.exec(aboutProcess(pid, 'status') ?? '');
  return found ? Number(found[1]) / 1024 : undefined;
}

function processorMsOf(pid: number): number | undefined {
  const about = aboutProcess(pid, 'stat');
  if (about === undefined) return undefined;
  // behind the name, which may have anything in it, the 3rd field begins
  const fields = about.slice(about.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS;
}

function aboutProcess(pid: number, file: 'stat' | 'status'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return undefined;
  }
}
