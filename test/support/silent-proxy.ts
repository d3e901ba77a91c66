import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can fall silent: connections stay open, and nothing gets through them any more. */
export interface SilentProxy {
  readonly port: number;
  /** The connections of now fall silent; `newOnesToo`: so are those that are opened from now on, until `speak()`. */
  silence(newOnesToo?: boolean): void;
  /** What is opened from now on gets through. */
  speak(): void;
  close(): Promise<void>;
}

export async function silentProxyTo(port: number, host = '127.0.0.1'): Promise<SilentProxy> {
  const pairs = new Set<[Socket, Socket]>();
  const unheard = new Set<Socket>();
  let silent = false;
  const server = createServer((near) => {
    // whoever opens a connection to a frozen host is answered by nobody
    if (silent) return void unheard.add(near.pause().on('error', () => undefined));
    const far = connect(port, host);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    near.pipe(far).pipe(near);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    silence(newOnesToo = false) {
      silent = newOnesToo;
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    speak: () => void (silent = false),
    async close() {
      for (const socket of [...pairs, unheard].flatMap((each) => [...each])) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
