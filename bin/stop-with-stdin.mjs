/**
 * With MARQUEE_STOP_WITH_STDIN, stops this process when its standard input ends. Tests that start a service give it a pipe
 * (packages/testing), which ends when their process does, even if that is killed.
 */
export function stopWithStdin() {
  if (process.env.MARQUEE_STOP_WITH_STDIN === undefined) return;
  process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM')).resume();
}
