import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endChild, lives } from './child.js';
import type { Stage } from './stage.js';

/** What a worker is to simulate. */
export interface DeliveryOrder {
  environment: Record<string, string>;
  accountId: string;
  /** The beginning of the first hour, in milliseconds. */
  first: number;
  hours: number;
}

/** What a worker says: that it waits to be told to begin, or the beginning of an hour that it begins or has simulated. */
export type DeliveryWord = 'ready' | { begun: number } | { done: number };

/** A process that simulates hours, and can be killed and started again. */
export class DeliveryWorker {
  private child?: ChildProcess;
  /** Whether it simulates an hour at this moment. */
  isAtWork = false;

  constructor(
    private readonly stage: Stage,
    private readonly order: DeliveryOrder,
  ) {}

  /** Starts it, and waits until it can begin. */
  async start(): Promise<void> {
    const child = fork(fileURLToPath(new URL('delivery-worker.js', import.meta.url)), { execArgv: [], detached: true });
    this.stage.owns(child, 'SIGKILL');
    this.child = child;
    child.send(this.order);
    await once(child, 'message');
    child.on('message', (word: DeliveryWord) => (this.isAtWork = word !== 'ready' && 'begun' in word));
  }

  /** Has it begin. */
  begin(): void {
    this.child!.send('begin');
  }

  /** `kill -9` in the middle of an hour, or when it has simulated all of them; returns whether it was in the middle of one. */
  async kill(): Promise<boolean> {
    while (!this.isAtWork && lives(this.child!)) await pause(1);
    const wasAtWork = this.isAtWork && lives(this.child!);
    this.isAtWork = false;
    await endChild(this.child!, 'SIGKILL');
    return wasAtWork;
  }

  /** Waits until it has simulated all hours. */
  async end(): Promise<void> {
    const child = this.child!;
    if (lives(child)) await once(child, 'exit');
    if (child.exitCode !== 0) throw new Error(`a worker ended with ${child.exitCode}`);
  }
}
