import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Stage } from '../stage.js';
import type { SlowLog, SlowOrder, SlowTask, SlowWord } from './task.js';

/** Starts slow senders in a process of their own; the result ends them and tells what became of their connections. */
export function startSlowSenders(stage: Stage, task: SlowTask): () => Promise<SlowLog> {
  const child = fork(fileURLToPath(new URL('senders.js', import.meta.url)), { execArgv: [], detached: true });
  stage.owns(child, 'SIGKILL');
  stage.atEnd(() => child.connected && child.disconnect());
  const say = (order: SlowOrder) => child.send(order);
  say({ start: task });
  return async () => {
    const heard = once(child, 'message');
    say({ end: true });
    const [word] = (await heard) as [SlowWord];
    child.disconnect();
    if ('failed' in word) throw new Error(`the slow senders failed: ${word.failed}`);
    return word.log;
  };
}
