import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { whereIs } from './child.js';

/** Processors of which one is for the load alone, so that what asks takes nothing from what serves. */
export interface Processors {
  /** What a reader has to know of them. */
  told: string;
  /** Has a process ask from the one that is apart. */
  forLoad(pid: number): void;
  /** Gives this process, and what it starts from now on, all of them back. */
  reunite(): void;
}

/** Sets the last processor apart: this process, and what it starts from now on, runs on the others. Linux alone can do that. */
export function setApart(): Processors {
  const taskset = whereIs('taskset', '/usr/bin');
  const count = availableParallelism();
  if (!taskset || count < 2) return { told: 'shared by all: the load takes from it', forLoad() {}, reunite() {} };
  const pin = (pid: number, processors: string) =>
    void execFileSync(taskset, ['-a', '-p', '-c', processors, `${pid}`], { stdio: 'ignore' });
  const last = count - 1;
  pin(process.pid, last === 1 ? '0' : `0-${last - 1}`);
  return {
    told: `${last} of ${count} for nginx, replicas, PostgreSQL and Redis, one for the load`,
    forLoad: (pid) => pin(pid, `${last}`),
    reunite: () => pin(process.pid, `0-${last}`),
  };
}
