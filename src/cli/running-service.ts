import { createConnection } from 'node:net';
import { type AdminPath, isPrivate } from './admin-path.js';
import { type CommandRequest, type CommandResult, progressOf, readToEnd } from './admin-protocol.js';
import { Refusal } from './refusal.js';

/**
 * Runs the command in the running service; undefined where none listens. `onProgress` is called with the progress,
 * and without a text once it has ended.
 */
export async function runInService(
  { path, folder }: AdminPath,
  request: Omit<CommandRequest, 'progress'>,
  onProgress?: (text?: string) => void,
): Promise<CommandResult | undefined> {
  if (folder && !isPrivate(folder)) return undefined;
  const socket = createConnection({ path, allowHalfOpen: true });
  let connected = false;
  socket.once('connect', () => {
    connected = true;
    socket.end(JSON.stringify({ ...request, progress: onProgress && true } satisfies CommandRequest));
  });
  let isShown = false;
  const onLine = (line: string) => {
    const text = progressOf(line);
    if (text === undefined) return;
    isShown = true;
    onProgress?.(text);
  };
  try {
    return JSON.parse(await readToEnd(socket, Infinity, onLine)) as CommandResult;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM')
      throw new Refusal('the running service belongs to another user; run this command as that user');
    if (!connected) return undefined;
    throw new Refusal('the running service ended before it answered; check whether the command took effect');
  } finally {
    socket.destroy();
    if (isShown) onProgress?.();
  }
}
