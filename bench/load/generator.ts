import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../statistics.js';
import { Connection } from './connection.js';
import { SignedRequests } from './signed-requests.js';
import type { Outcome, Task } from './task.js';

/**
 * Sends requests over a fixed number of connections, the next one as soon as the one before is answered, and takes the
 * time of each. What is answered while it warms up is not counted.
 */
async function generate({ port, pen, requests, connections, warmUpMs, measureMs, signAhead }: Task): Promise<Outcome> {
  const signed = new SignedRequests(port, pen, requests);
  signed.prepare(signAhead);
  const times: number[] = [];
  let measuring = false;
  let stopping = false;
  let failed = 0;
  let sent = 0;
  let underway = 0;

  const open = Array.from({ length: connections }, () => {
    let sentAt = 0;
    const send = () => {
      const request = signed.next();
      sent++;
      underway++;
      sentAt = performance.now();
      connection.send(request);
    };
    const connection = new Connection(
      port,
      (status) => {
        underway--;
        if (measuring && status >= 200 && status < 300) times.push(performance.now() - sentAt);
        else if (status < 200 || status > 299) failed++;
        if (!stopping) send();
      },
      () => {
        underway--;
        failed++;
      },
    );
    return { connection, send };
  });

  await Promise.all(open.map(({ connection }) => connection.open()));
  for (const { send } of open) send();
  await pause(warmUpMs);
  measuring = true;
  const began = performance.now();
  await pause(measureMs);
  measuring = false;
  const seconds = (performance.now() - began) / 1000;
  stopping = true;
  for (let waited = 0; underway > 0 && waited < 5_000; waited += 10) await pause(10);
  for (const { connection } of open) connection.close();
  return {
    measured: {
      rate: times.length / seconds,
      p50: percentile(times, 0.5),
      p95: percentile(times, 0.95),
      p99: percentile(times, 0.99),
      failed,
    },
    sent,
  };
}

process.on('message', (task: Task) => {
  generate(task)
    .catch((error: unknown): Outcome => ({
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }))
    .then(
      (outcome) => process.send!(outcome),
      () => process.exit(1),
    );
});
process.on('disconnect', () => process.exit());
