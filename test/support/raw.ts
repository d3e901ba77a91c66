import { connect } from 'node:net';

/**
 * Writes bytes on a connection of its own and returns what came back until the other side closed, or until it said
 * nothing for a while.
 */
export function exchange(origin: string, bytes: string | Buffer, { silence = 700 } = {}): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(silence, done);
    socket.on('data', (chunk) => (text += chunk.toString('utf8')));
    // A connection that is cut while we still write is an end like any other.
    socket.on('error', done).on('close', done);
    socket.write(bytes);
  });
}
