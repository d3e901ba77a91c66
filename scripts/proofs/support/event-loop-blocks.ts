import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Asks the probe (event-loop-probe.ts) that listens on this socket: the longest block of the event loop of its process since
 * it was asked last, in milliseconds.
 */
export async function blocksOf(path: string): Promise<() => Promise<number>> {
  const socket = connect(path);
  socket.unref();
  await once(socket, 'connect');
  return async () => {
    socket.write('?\n');
    const [line] = (await once(socket, 'data')) as [Buffer];
    return Number(line);
  };
}
