/** Posts requests from a file to a URL, so many at a time, when it is told to: as fast as a client of undici can. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

const [url, file, connections] = process.argv.slice(2);
const waiting = JSON.parse(readFileSync(file, 'utf8')) as { headers: Record<string, string>; body: string }[];
const dispatcher = new Agent({ connections: Number(connections) });

process.send!('ready');
await once(process, 'message');
const one = async () => {
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { body } = await request(url, { method: 'POST', ...next, dispatcher });
    await body.dump();
  }
};
await Promise.all(Array.from({ length: Number(connections) }, one));
await dispatcher.close();
process.disconnect();
