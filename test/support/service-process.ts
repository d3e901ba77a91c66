import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClockMessage, MarkMessage } from '../../scripts/proofs/support/clocked-service.js';
import { endChild, lives } from '../../scripts/proofs/support/child.js';
import { send } from './http.js';

/** The compiled service. */
const MAIN = join('dist', 'scripts', 'proofs', 'support', 'clocked-service.js');
/** Many compiled files are read; a busy machine takes its time. */
const PATIENCE_MS = 180_000;
const LOOK_MS = 20;

/** A replica that is a process, and so can be killed. It keeps its port. */
export class ServiceProcess {
  private child?: ChildProcess;
  private ahead = 0;
  /** Whether it can be asked. */
  isServing = false;

  constructor(
    readonly port: number,
    private readonly environment: Record<string, string>,
  ) {}

  /** Starts it and waits until it serves. */
  async start(): Promise<void> {
    const { PATH = '' } = process.env;
    this.child = spawn(process.execPath, [MAIN], {
      env: { PATH, PORT: String(this.port), ...this.environment },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await this.untilReady();
    // the time may pass meanwhile
    for (let told: number | undefined; told !== this.ahead;) await this.tell((told = this.ahead));
    this.isServing = true;
  }

  async untilReady(): Promise<void> {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await pause(LOOK_MS)) {
      if (!this.child || !lives(this.child)) throw new Error('A process of the service ended by itself.');
      const answer = await send(this.url, '/health/ready', { method: 'GET' }).catch(() => undefined);
      if (answer?.status === 200) return;
    }
    throw new Error('A process of the service does not get ready.');
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Its clock is this many milliseconds ahead, or will be when it serves. */
  async setAhead(ahead: number): Promise<void> {
    this.ahead = ahead;
    if (this.isServing) await this.tell(ahead);
  }

  private async tell(ahead: number): Promise<void> {
    const isSo = this.said<ClockMessage>((message) => message.ahead === ahead);
    this.child!.send({ ahead } satisfies ClockMessage);
    await isSo;
  }

  /** Waits until it has heard this mark; one that does not serve yet has forgotten everything. */
  async heard(mark: string): Promise<void> {
    if (this.isServing) await this.said<MarkMessage>((message) => message.mark === mark);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.isServing = false;
    if (this.child) await endChild(this.child, signal);
  }

  private said<M>(isIt: (message: M) => boolean): Promise<void> {
    const child = this.child!;
    return new Promise((resolve, reject) => {
      const take = (message: unknown) => {
        if (!isIt(message as M)) return;
        child.off('exit', fail);
        child.off('message', take);
        resolve();
      };
      const fail = () => reject(new Error('A process of the service ended.'));
      child.on('message', take);
      child.once('exit', fail);
    });
  }
}
