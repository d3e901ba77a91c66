import { readFileSync } from 'node:fs';

/** Resident memory of a process in MiB. */
export const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
