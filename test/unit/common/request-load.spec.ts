import { EventEmitter } from 'node:events';
import type { FastifyRequest } from 'fastify';
import { RequestLoad } from '../../../src/common/http/server/request-load.js';
import { Metrics } from '../../../src/common/metrics/metrics.js';

let metrics: Metrics;
let stopping: boolean;
let load: RequestLoad;

beforeEach(() => {
  metrics = new Metrics();
  stopping = false;
  load = new RequestLoad(metrics, 2, () => stopping, 2);
});

function begun(): FastifyRequest {
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  const request = { url: '/12/accounts', raw: { socket } } as unknown as FastifyRequest;
  load.begin(request);
  return request;
}

it('does not count a delayed request as in progress', async () => {
  const [first, second] = [begun(), begun()];
  expect(load.isFull({ url: '/12/accounts' } as FastifyRequest)).toBe(true);
  const delayed = load.delay(first, 50);
  expect([metrics.underway, load.delayed]).toEqual([1, 1]);
  await delayed;
  expect([metrics.underway, load.delayed]).toEqual([2, 0]);
  for (const request of [first, second]) load.finish(request);
  expect(metrics.underway).toBe(0);
});

it('rejects a request when too many are delayed', async () => {
  const waiting = [load.delay(begun(), 50), load.delay(begun(), 50)];
  const refused = begun();
  await expect(load.delay(refused, 50)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(metrics.underway).toBe(1);
  await Promise.all(waiting);
  await load.delay(refused, 1);
});

it('ends a delay when the client disconnects, and when the process stops', async () => {
  const left = begun();
  const { socket } = left.raw;
  const delayed = load.delay(left, 60_000);
  Object.assign(socket, { destroyed: true });
  socket.emit('close');
  await expect(delayed).rejects.toMatchObject({ status: 503 });
  expect([metrics.underway, load.delayed, socket.listenerCount('close')]).toEqual([0, 0, 0]);
  const stopped = load.delay(begun(), 60_000);
  stopping = true;
  await stopped;
  expect(metrics.underway).toBe(1);
});
