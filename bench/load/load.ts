import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Measured } from '../statistics.js';
import type { Outcome, Task } from './task.js';

/** The generator in a process of its own: its garbage and its signatures are not the server's. */
export class Load {
  private readonly process = fork(fileURLToPath(new URL('generator.js', import.meta.url)), { execArgv: [] });

  async run(task: Task): Promise<{ measured: Measured; sent: number }> {
    const outcome = await new Promise<Outcome>((resolve) => {
      this.process.once('message', (message) => resolve(message as Outcome));
      this.process.once('exit', (code) => resolve({ error: `it ended with ${code}` }));
      this.process.send(task);
    });
    this.process.removeAllListeners('exit');
    if ('error' in outcome) throw new Error(`the load generator failed: ${outcome.error}`);
    return outcome;
  }

  close(): void {
    if (this.process.connected) this.process.disconnect();
  }
}
