import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A module that tells a figure from within a service, by `tell`. */
export type Probe = 'event-loop-probe' | 'memory-probe';

const socketOf = (folder: string, pid: number) => join(folder, `probe-${pid}.sock`);

/** What a service is started with so that it loads a probe, which then listens in this folder. */
export const probedBy = (probe: Probe, folder: string): Record<string, string> => ({
  NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, `${probe}.js`)).href}`,
  PROBE_FOLDER: folder,
});

/** In the service: answers each question with a figure. */
export function tell(figure: () => Promise<number>): void {
  createServer((socket) => {
    socket.on('data', () => void figure().then((found) => socket.write(`${found}\n`)));
    socket.on('error', () => undefined);
  })
    .listen(socketOf(process.env.PROBE_FOLDER!, process.pid))
    .unref();
}

/** Answers how to ask the probe of a service for its figure. */
export async function probe(folder: string, pid: number): Promise<() => Promise<number>> {
  const socket = connect(socketOf(folder, pid));
  socket.unref();
  await once(socket, 'connect');
  return async () => {
    socket.write('?\n');
    const [line] = (await once(socket, 'data')) as [Buffer];
    return Number(line);
  };
}
