import { connect } from 'node:net';
import { unlikeDocument } from './contract.js';

/**
 * Writes bytes on a connection of its own and returns what came back until the other side closed, or until it said
 * nothing for a while. What comes back as JSON has to be as openapi.json says.
 */
export function exchange(origin: string, bytes: string | Buffer, { silence = 700 } = {}): Promise<string> {
  const { hostname, port } = new URL(origin);
  const answer = new Promise<string>((resolve) => {
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
  return answer.then((text) => compared(String(bytes), text));
}

/** The answer to the request that begins like this. It throws if openapi.json does not describe it so. */
export function compared(head: string, answer: string): string {
  const [, method, target] = /^([A-Z]+) (\/\S*)/.exec(head) ?? [];
  const [, status, json] = /^HTTP\/1\.1 (\d{3}) .*\r\n(?:.+\r\n)+\r\n(\{.*\})$/.exec(answer) ?? [];
  const fault = method && json && unlikeDocument(method, target, Number(status), JSON.parse(json));
  if (fault) throw new Error(fault);
  return answer;
}
