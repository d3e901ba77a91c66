import { readFileSync } from 'node:fs';

/** Limits on a process that reads one file. */
export interface ProcessLimits {
  /** Resident memory in MiB. */
  memoryMib: number;
  /** Processor time of all its threads. */
  processorMs: number;
  /** Wall time, including waits for bytes or a processor. */
  wallMs: number;
}

const LOOK_MS = 25;
/** Ticks per second in proc(5), the unit of processor time on Linux. */
const TICKS = 100;

/**
 * Watches a process until the returned function is called, and reports the first exceeded limit once. Memory and
 * processor time are available on Linux only; elsewhere only the wall time applies.
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

/** Resident memory of a process; undefined if unavailable. */
export function residentMibOf(pid: number): number | undefined {
  const found = /^VmRSS:\s+(\d+)/m.exec(aboutProcess(pid, 'status') ?? '');
  return found ? Number(found[1]) / 1024 : undefined;
}

function processorMsOf(pid: number): number | undefined {
  const about = aboutProcess(pid, 'stat');
  if (about === undefined) return undefined;
  // the 3rd field follows the name, which may contain any character
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
