import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { endWhenStalled } from '../../../src/common/http/server/request-hooks.js';

const STALL_MS = 500;
/** More than the kernel keeps for both sides. */
const LARGE = Buffer.alloc(64 * 1024 * 1024, 'x');

describe('responses that nobody reads', () => {
  let server: Server;
  let stalled: number;
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  /** A connection to a server that answers so; it has sent its request and reads nothing yet. */
  async function asked(answer: (response: ServerResponse) => unknown): Promise<Socket> {
    stalled = 0;
    server = createServer((_request, response) => {
      endWhenStalled(response, () => stalled++, STALL_MS);
      void answer(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    return socket;
  }

  it.each([
    ['a text', (response: ServerResponse) => response.end(LARGE)],
    [
      'a stream',
      (response: ServerResponse) =>
        Readable.from(Array.from({ length: 1024 }, (_, i) => LARGE.subarray(i << 16, (i + 1) << 16))).pipe(response),
    ],
  ])('end the connection: %s', async (_, answer) => {
    await new Promise<void>((resolve) => {
      void asked((response) => {
        response.once('close', resolve);
        answer(response);
      });
    });
    expect(stalled).toBe(1);
  });

  it('goes on while the client takes some of it now and then', async () => {
    const socket = await asked((response) => response.end(LARGE));
    let [read, unpaused] = [0, 0];
    for await (const chunk of socket) {
      read += (chunk as Buffer).length;
      unpaused += (chunk as Buffer).length;
      // at least what the kernels wait for before they take more
      if (unpaused < 6_000_000) continue;
      unpaused = 0;
      await pause(STALL_MS / 2);
    }
    expect(read).toBeGreaterThan(LARGE.length);
    expect(stalled).toBe(0);
  });

  it('waits for a response that takes longer', async () => {
    const socket = await asked(async (response) => {
      await pause(STALL_MS * 3);
      response.end('late');
    });
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toContain('late');
    expect(stalled).toBe(0);
  });
});
