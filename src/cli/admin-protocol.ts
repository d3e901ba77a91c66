import type { Socket } from 'node:net';

/** A command on its way into the running service. */
export interface CommandRequest {
  argv: string[];
  /** What the command reads: a password. */
  stdin?: string;
}

/** What it printed there. */
export interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Everything the other side sends until it ends its half. */
export function readToEnd(socket: Socket, most = Infinity): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    socket.on('data', (chunk) => {
      size += chunk.length;
      if (size > most) socket.destroy(new Error(`more than ${most} bytes came`));
      else chunks.push(chunk);
    });
    socket.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was lost')));
  });
}

export function isCommandRequest(value: unknown): value is CommandRequest {
  const { argv, stdin } = (value ?? {}) as Partial<Record<keyof CommandRequest, unknown>>;
  return (
    Array.isArray(argv) &&
    argv.every((each) => typeof each === 'string') &&
    (stdin === undefined || typeof stdin === 'string')
  );
}
