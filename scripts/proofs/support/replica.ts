import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NODE_FLAGS } from '../../../bench/servers.js';
import { endChild, lives } from './child.js';
import type { Kill } from './load/log.js';
import { MAIN } from './paths.js';
import { ask } from './requests.js';
import { settings } from './settings.js';
import type { Stage } from './stage.js';

const PATIENCE_MS = 60_000;

/** Ceilings that nothing here reaches: what is proved is not the limits. */
const CEILINGS = Object.fromEntries(
  ['WRITES', 'AUDIENCE_USERS', 'CORE_READS', 'ACCOUNT_READS', 'GLOBAL_READS', 'TOTAL_COUNT', 'OAUTH', 'PAGES'].map(
    (name) => [`RATE_LIMIT_${name}`, '1000000000/900'],
  ),
);

/** The service as a process, on a port that stays its own when it is started again. */
export class Replica {
  private child?: ChildProcess;
  private told = false;
  /** How often it ended without being told to. */
  crashes = 0;
  /** Between the last start and the first time it said that it is ready. */
  readyMs = NaN;

  constructor(
    private readonly stage: Stage,
    readonly port: number,
    private readonly environment: Record<string, string>,
    private readonly address = '127.0.0.1',
  ) {
    stage.atEnd(() => this.end('SIGKILL'));
  }

  get pid(): number {
    return this.child!.pid!;
  }

  /** Starts it and waits until it says that it is ready. */
  async start(): Promise<void> {
    const began = performance.now();
    // Log lines are written as in life, to nowhere unless somebody wants to read them.
    const log = settings.logs ? openSync(join(settings.logs, `replica-${this.port}.log`), 'a') : 'ignore';
    const child = spawn(process.execPath, [...NODE_FLAGS, MAIN], {
      env: {
        PATH: process.env.PATH,
        PORT: `${this.port}`,
        LOG_LEVEL: 'info',
        ...CEILINGS,
        ...this.environment,
      },
      detached: true,
      stdio: ['ignore', log, 'inherit'],
    });
    this.child = child;
    this.told = false;
    child.once('exit', () => {
      if (!this.told) this.crashes++;
    });
    this.stage.owns(child, 'SIGKILL');
    await this.untilReady();
    this.readyMs = performance.now() - began;
  }

  async untilReady(): Promise<void> {
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(20)) {
      if (!lives(this.child!)) throw new Error('the service ended before it was ready');
      if (await this.isReady()) return;
    }
    throw new Error('the service does not get ready');
  }

  async isReady(): Promise<boolean> {
    const question = { method: 'GET', target: '/health/ready', headers: {} };
    // On a connection of its own: it must not wait for those that others keep busy.
    const answer = await ask(this.port, question, false, this.address).catch(() => undefined);
    return answer?.status === 200;
  }

  /** Signals it and waits until it is gone; answers whether it had to be killed. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<boolean> {
    this.told = true;
    return this.child !== undefined && endChild(this.child, signal);
  }

  /** `kill -9`; answers when that began and when the process was gone. */
  async kill(): Promise<Kill> {
    const from = Date.now();
    await this.end('SIGKILL');
    return [from, Date.now()];
  }
}
