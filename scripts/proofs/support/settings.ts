/** How this run is made, from the command line; main.ts fills it in. */
export const settings = {
  /** Shorter and fewer, to try a proof out; figures of time are not judged. */
  quick: false,
  /** How long `endurance` lasts. */
  minutes: 30,
  /** A folder in which the replicas' log lines are kept. */
  logs: undefined as string | undefined,
  /** Of `outages`, `races`, `redis-failover` and `slow-senders`: those whose name contains this. */
  only: '',
};
