import { isOutage } from './common/db/query/outage.js';
import { UNREACHABLE } from './common/db/sqlstate.js';
import { StartFailure } from './common/start-failure.js';
import { ConfigError } from './config/config.js';

/** The reason that the service or a command did not start, in a sentence; undefined for unexpected errors. */
export function startFailureOf(error: unknown): string | undefined {
  if (error instanceof StartFailure || error instanceof ConfigError) return error.message;
  const { code, message, severity, syscall, path, address, port, freePort } = (error ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string')
    return isOutage(error) ? `DATABASE_URL: the server does not answer (${String(message)})` : undefined;
  if (syscall === 'listen' || syscall === 'bind')
    return listenFailure(code, `${String(address)}`, Number(port), freePort as number | undefined);
  // The server became unreachable after it was reached.
  if (UNREACHABLE.has(code)) return `DATABASE_URL: the server does not answer (${code})`;
  if (typeof severity === 'string' && code === '42501')
    return `DATABASE_URL: ${String(message)}; run the GRANT statements of docs/operations.md, "Roles and privileges".`;
  if (typeof severity === 'string' && code === '55P03')
    return `DATABASE_URL: a dump or a long transaction holds a lock (${String(message)}); end it, and repeat the command.`;
  // Class 28 rejects the credentials, 3D the database, 53 and 57 report missing resources or availability.
  if (typeof severity === 'string' && /^(28|3D|53|57)/.test(code)) return `DATABASE_URL: ${String(message)}`;
  if (code === 'ENOSPC') return `The disk is full: ${String(message)}`;
  return typeof syscall === 'string' && typeof path === 'string' ? String(message) : undefined;
}

function listenFailure(code: string, address: string, port: number, freePort?: number): string | undefined {
  if (code === 'EADDRINUSE') {
    const remedy =
      freePort === undefined ? 'set PORT to a free port' : `\`PORT=${freePort} npm start\` uses a free one`;
    return `Port ${port} of ${address} is in use by another program; ${remedy}.`;
  }
  if (code === 'EACCES')
    return `This user may not listen on port ${port}; \`PORT=3000 npm start\` uses a port without restrictions.`;
  if (code === 'EADDRNOTAVAIL')
    return `HOST: this machine has no address ${address}; set HOST to one of its addresses.`;
  return undefined;
}
