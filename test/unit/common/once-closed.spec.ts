import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onceClosed } from '../../../src/common/http/answers/once-closed.js';

describe('work once a response is closed', () => {
  const answered = () => {
    const socket = Object.assign(new EventEmitter(), { destroyed: false });
    const raw = Object.assign(new EventEmitter(), { destroyed: false });
    let calls = 0;
    const begin = () =>
      onceClosed({ raw: { socket } } as unknown as FastifyRequest, { raw } as unknown as FastifyReply, () => calls++);
    return { socket, raw, begin, calls: () => calls };
  };

  it.each(['socket', 'raw'] as const)('is done once, when the %s closes', (which) => {
    const { begin, calls, ...all } = answered();
    begin();
    expect(calls()).toBe(0);
    all[which].emit('close');
    all.socket.emit('close');
    all.raw.emit('close');
    expect(calls()).toBe(1);
    expect([all.socket.listenerCount('close'), all.raw.listenerCount('close')]).toEqual([0, 0]);
  });

  it.each(['socket', 'raw'] as const)('is done at once if the %s has closed before', (which) => {
    const { begin, calls, ...all } = answered();
    all[which].destroyed = true;
    begin();
    expect(calls()).toBe(1);
    expect([all.socket.listenerCount('close'), all.raw.listenerCount('close')]).toEqual([0, 0]);
  });
});
