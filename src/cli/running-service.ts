import { createConnection } from 'node:net';
import { type AdminPath, isPrivate } from './admin-path.js';
import { type CommandRequest, type CommandResult, readToEnd } from './admin-protocol.js';
import { Refusal } from './refusal.js';

/** Has the running service run the command; undefined where none listens. */
export async function runInService(
  { path, folder }: AdminPath,
  request: CommandRequest,
): Promise<CommandResult | undefined> {
  if (folder && !isPrivate(folder)) return undefined;
  const socket = createConnection({ path, allowHalfOpen: true });
  let connected = false;
  socket.once('connect', () => {
    connected = true;
    socket.end(JSON.stringify(request));
  });
  try {
    return JSON.parse(await readToEnd(socket)) as CommandResult;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM')
      throw new Refusal('the running service belongs to another user; give this command as that user');
    if (!connected) return undefined;
    throw new Refusal('the running service ended before it answered; look whether the command was carried out');
  } finally {
    socket.destroy();
  }
}
