/** The longest time in milliseconds in which a service did nothing else, since this was asked the last time. */
export async function longestBlockMs(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text);
  if (!seconds) throw new Error('the metrics have no nodejs_eventloop_lag_max_seconds');
  return Number(seconds[1]) * 1_000;
}
