/** Loaded into a service (`--import`) beside everything else: tells on a socket how long its event loop was blocked. */
import { closeSync, openSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

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

// each line is a question for the longest block since the last one, in milliseconds
createServer((socket) => {
  socket.on('data', () => {
    // a block counts once the timer that it delayed has run
    void pause(5).then(() => {
      socket.write(`${longest}\n`);
      longest = 0;
    });
  });
  socket.on('error', () => undefined);
})
  .listen(process.env.EVENT_LOOP_PROBE)
  .unref();
process.on('exit', () => closeSync(usage));
