import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { lives } from './child.js';
import { ask } from './requests.js';

/** Whether a service says that it is ready, on a connection of its own: it must not wait for those that others keep busy. */
export async function isReady(port: number, address?: string): Promise<boolean> {
  const question = { method: 'GET', target: '/health/ready', headers: {} };
  return (await ask(port, question, false, address).catch(() => undefined))?.status === 200;
}

/** Waits until the service of a process says that it is ready. */
export async function untilReady(
  port: number,
  child: ChildProcess,
  timeoutMs: number,
  address?: string,
): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await pause(20)) {
    if (!lives(child)) throw new Error('the service ended before it was ready');
    if (await isReady(port, address)) return;
  }
  throw new Error('the service does not get ready');
}
