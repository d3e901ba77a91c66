import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Stage } from '../stage.js';
import { LoadLog } from './log.js';
import type { Captured, LoadTask, Order, Word } from './task.js';

/** Load that a process of its own sends until it is ended. */
export class Load {
  private constructor(private readonly child: ChildProcess) {}

  static start(stage: Stage, task: LoadTask): Load {
    const child = fork(fileURLToPath(new URL('generator.js', import.meta.url)), {
      execArgv: [],
      detached: true,
      serialization: 'advanced',
    });
    stage.owns(child, 'SIGKILL');
    stage.atEnd(() => child.connected && child.disconnect());
    const load = new Load(child);
    load.say({ start: task });
    return load;
  }

  /** The process that sends it. */
  get pid(): number {
    return this.child.pid!;
  }

  /** How many a second from now on. */
  rate(perSecond: number): void {
    this.say({ rate: perSecond });
  }

  /** The last requests, as they were sent. */
  async captured(): Promise<Captured[]> {
    const word = this.word((heard) => ('captured' in heard ? heard.captured : undefined));
    this.say({ captured: true });
    return word;
  }

  /** Stops sending, waits for the answers and tells what became of every request. */
  async end(): Promise<LoadLog> {
    const word = this.word((heard) => ('log' in heard ? heard.log : undefined));
    this.say({ end: true });
    const columns = await word;
    this.child.disconnect();
    return new LoadLog(columns);
  }

  private say(order: Order): void {
    this.child.send(order);
  }

  private word<T>(pick: (word: Word) => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const heard = (message: unknown) => {
        const word = message as Word;
        if ('failed' in word) reject(new Error(`the load generator failed: ${word.failed}`));
        const picked = pick(word);
        if (picked === undefined) return;
        this.child.off('message', heard).off('exit', ended);
        resolve(picked);
      };
      const ended = (code: number | null) => reject(new Error(`the load generator ended with ${code}`));
      this.child.on('message', heard).once('exit', ended);
    });
  }
}
