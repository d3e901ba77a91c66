import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode, type Packet } from 'dns-packet';
import type { Stage } from './stage.js';

/** A name server that knows what it is told; other names do not exist. */
export class NameServer {
  private constructor(
    readonly port: number,
    private readonly addresses: Map<string, string>,
  ) {}

  static async start(stage: Stage): Promise<NameServer> {
    const addresses = new Map<string, string>();
    const socket = createSocket('udp4');
    socket.on('message', (message, { port, address }) =>
      socket.send(answer(decode(message), addresses), port, address),
    );
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    stage.atEnd(() => void socket.close());
    return new NameServer(socket.address().port, addresses);
  }

  /** Where a name leads from now on; without an address it no longer exists. */
  set(name: string, address?: string): void {
    if (address === undefined) this.addresses.delete(name);
    else this.addresses.set(name, address);
  }
}

/** Bits of a reply whose name does not exist. */
const NO_SUCH_NAME = 3;

function answer({ id, questions = [] }: Packet, addresses: Map<string, string>): Buffer {
  const answers = questions.flatMap(({ name, type }): Answer[] => {
    const data = addresses.get(name);
    return data !== undefined && type === 'A' ? [{ name, type: 'A', ttl: 0, data }] : [];
  });
  const known = questions.every(({ name }) => addresses.has(name));
  return encode({ id, type: 'response', flags: known ? 0 : NO_SUCH_NAME, questions, answers });
}
