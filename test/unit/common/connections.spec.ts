import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { clientNetworkOf, limitConnections } from '../../../src/common/http/server/connection-limits.js';

describe('the network of a client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown:', 'unknown:'],
    ['x'.repeat(1_000), 'x'.repeat(64)],
  ])('of %s is %s', (address, network) => {
    expect(clientNetworkOf(address)).toBe(network);
  });
});

describe('connections', () => {
  const open: Socket[] = [];
  afterEach(() => open.splice(0).forEach((socket) => socket.destroy()));

  async function served(limits: { total: number; perAddress: number; exempt?: string }) {
    const refused: string[] = [];
    const server = createServer((_request, response) => response.end('here'));
    limitConnections(server, {
      ...limits,
      isExempt: (address) => address === limits.exempt,
      onRefused: (reason) => refused.push(reason),
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const from = async (localAddress: string) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      open.push(socket.on('error', () => undefined));
      await once(socket, 'connect');
      return socket;
    };
    /** Whether a connection is answered, and not closed. */
    const isAnswered = async (socket: Socket) => {
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      const [first] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as unknown[];
      return Buffer.isBuffer(first);
    };
    const close = async () => {
      open.splice(0).forEach((socket) => socket.destroy());
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    return { refused, from, isAnswered, close };
  }

  it('beyond those that one address may have are closed, until one of them is', async () => {
    const { refused, from, isAnswered, close } = await served({ total: 10, perAddress: 2 });
    const [first] = [await from('127.0.0.2'), await from('127.0.0.2')];
    expect(await isAnswered(await from('127.0.0.2'))).toBe(false);
    expect(await isAnswered(await from('127.0.0.3'))).toBe(true);
    expect(await isAnswered(first)).toBe(true);
    first.end();
    await once(first, 'close');
    expect(await isAnswered(await from('127.0.0.2'))).toBe(true);
    expect(refused).toEqual(['connections-of-address']);
    await close();
  });

  it('beyond those that there may be in all are closed, but for those of proxies', async () => {
    const { refused, from, isAnswered, close } = await served({ total: 2, perAddress: 2, exempt: '127.0.0.9' });
    await from('127.0.0.2');
    await from('127.0.0.3');
    expect(await isAnswered(await from('127.0.0.4'))).toBe(false);
    for (let i = 0; i < 4; i++) expect(await isAnswered(await from('127.0.0.9'))).toBe(true);
    expect(refused).toEqual(['connections']);
    await close();
  });
});
