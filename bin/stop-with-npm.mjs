import { clearInterval, setInterval } from 'node:timers';

const CHECK_MS = 250;

/**
 * Stops this process when the npm that started it is gone. npm runs a script in a shell and forwards signals to that shell
 * only. A shell that does not replace itself by the program (dash) ends on SIGTERM and leaves the program running.
 */
export function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_MS);
  timer.unref();
}
