/** Loaded into a service (`--import`) beside everything else: tells how long its event loop was blocked. */
import { closeSync, openSync, readSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { tell } from './probe.js';

// What the machine gives to others meanwhile is no block of ours: time counts as far as this thread was running.
const usage = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const line = Buffer.alloc(128);
const runningMs = () => {
  const length = readSync(usage, line, 0, line.length, 0);
  return Number(line.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
};

let longest = 0;
let [seen, ran] = [performance.now(), runningMs()];
setInterval(() => {
  const [now, runs] = [performance.now(), runningMs()];
  longest = Math.max(longest, Math.min(now - seen, runs - ran));
  [seen, ran] = [now, runs];
}, 1).unref();

// the longest block since the last question, in milliseconds
tell(async () => {
  // a block counts once the timer that it delayed has run
  await pause(5);
  const told = longest;
  longest = 0;
  return told;
});
process.on('exit', () => closeSync(usage));
