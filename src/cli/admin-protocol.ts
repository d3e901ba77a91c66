import type { Socket } from 'node:net';

/** A command that the running service is to run, sent as JSON. */
export interface CommandRequest {
  argv: string[];
  /** The standard input of the command: a password. */
  stdin?: string;
  /** Where it was given: what its paths are relative to. */
  cwd?: string;
  /** How many columns its terminal has. */
  width?: number;
}

/** The answer: what the command printed, and its exit code. */
export interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Reads until the other side ends its half of the connection. Rejects beyond `most` bytes, and where the connection is lost. */
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

/** Whether parsed JSON is a request. */
export function isCommandRequest(value: unknown): value is CommandRequest {
  const { argv, stdin, cwd, width } = (value ?? {}) as Partial<Record<keyof CommandRequest, unknown>>;
  return (
    Array.isArray(argv) &&
    argv.every((each) => typeof each === 'string') &&
    [stdin, cwd].every((each) => each === undefined || typeof each === 'string') &&
    (width === undefined || typeof width === 'number')
  );
}
