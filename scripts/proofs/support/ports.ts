import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A port that nobody uses, by the word of the operating system. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until somebody listens there, while `waiting` says that it is still worth it. */
export async function untilListening(port: number, what: string, waiting: () => boolean): Promise<void> {
  for (const deadline = performance.now() + 30_000; performance.now() < deadline && waiting(); await pause(20)) {
    if (await listens(port)) return;
  }
  throw new Error(`${what} does not listen`);
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => socket.destroy()).once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
