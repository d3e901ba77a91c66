import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_FLAGS } from '../../../bench/servers.js';
import { endChild } from './child.js';
import type { Kill } from './load/log.js';
import { MAIN } from './paths.js';
import { isReady, untilReady } from './ready.js';
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

  untilReady(): Promise<void> {
    return untilReady(this.port, this.child!, PATIENCE_MS, this.address);
  }

  isReady(): Promise<boolean> {
    return isReady(this.port, this.address);
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
