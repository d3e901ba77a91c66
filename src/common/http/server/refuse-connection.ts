import { maxHeaderSize, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../errors/api-error.js';
import { cancelledRequest } from '../../errors/catalogue.js';
import { bareErrorText } from '../errors/error-response.js';
import type { PublicUrls } from '../urls/public-urls.js';

export const refuseTunnel = () =>
  new ApiError(405, 34, 'Sorry, that page does not exist', { details: 'CONNECT is not supported' });

/** Node's error for input that is not a request; `rawPacket` has the last bytes received, if any. */
export type ClientError = Error & { code?: string; rawPacket?: Buffer };

/** Answers input that Node could not parse or that timed out, in the form of its path as far as that arrived. */
export function refuseConnection({ code, rawPacket }: ClientError, socket: Socket, publicUrls: PublicUrls): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const error =
    code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? cancelledRequest('The request took too long to arrive')
      : code === 'HPE_HEADER_OVERFLOW'
        ? new ApiError(431, 'INVALID_PARAMETER', `The headers must have at most ${maxHeaderSize} bytes together`)
        : code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW'
          ? new ApiError(413, 'INVALID_PARAMETER', 'The chunk extensions of the body are too large')
          : new ApiError(400, 'INVALID_PARAMETER', 'The request is not valid HTTP');
  sendBare(socket, error, rawPacket && pathIn(rawPacket, socket, publicUrls));
}

/** The path of a request whose head these bytes contain or begin. */
function pathIn(bytes: Buffer, socket: Socket, publicUrls: PublicUrls): string | undefined {
  const head = bytes.toString('latin1', 0, maxHeaderSize);
  const url = /^[A-Z-]+ (\/\S*)/.exec(head)?.[1];
  const host = /\r\nhost:[ \t]*([^\r\n]*)/i.exec(head)?.[1];
  return url && publicUrls.locate({ url, headers: { host }, socket } as IncomingMessage).split('?', 1)[0];
}

/** Time for which a closing connection waits for the client to read the response. */
const LINGER_MS = 2_000;

/**
 * Keeps reading for a moment from a connection that is closed while its client still sends. Closed at once, it would be
 * reset, and the client could lose the response.
 */
export function lingerOnClose(socket: Socket): void {
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer)).end();
  };
}

export function sendBare(socket: Socket, error: ApiError, path?: string): void {
  const body = bareErrorText(error, path);
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  // All other listeners are removed: a disconnect must not end the process, and a client must not keep the connection
  // open forever.
  socket
    .on('error', () => socket.destroy())
    .setTimeout(LINGER_MS, () => socket.destroy())
    .resume();
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
