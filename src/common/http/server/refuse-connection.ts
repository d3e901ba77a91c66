import { maxHeaderSize, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../errors/api-error.js';
import { cancelledRequest } from '../../errors/catalogue.js';
import { bareErrorText } from '../errors/error-response.js';
import type { PublicUrls } from '../urls/public-urls.js';

export const noTunnel = () =>
  new ApiError(405, 34, 'Sorry, that page does not exist', { details: 'CONNECT is not taken' });

/** What Node says of bytes that are no request; `rawPacket` are those that came last, where there were any. */
export type ClientError = Error & { code?: string; rawPacket?: Buffer };

/** Answers what Node could not parse, or waited for in vain, in the form of its path as far as that arrived. */
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

/** The path of a request whose head is in these bytes, or begins there. */
function pathIn(bytes: Buffer, socket: Socket, publicUrls: PublicUrls): string | undefined {
  const head = bytes.toString('latin1', 0, maxHeaderSize);
  const url = /^[A-Z-]+ (\/\S*)/.exec(head)?.[1];
  const host = /\r\nhost:[ \t]*([^\r\n]*)/i.exec(head)?.[1];
  return url && publicUrls.locate({ url, headers: { host }, socket } as IncomingMessage).split('?', 1)[0];
}

/** How long a connection that is over waits for its client to read why. */
const LINGER_MS = 2_000;

/**
 * Has a connection that is closed while its client still sends take what comes for a moment longer: closed at once, it would
 * be reset, and the client could lose the answer.
 */
export function lingerAtEnd(socket: Socket): void {
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
  // By now nobody else may listen: a client that goes away must not end the process, and one that stays not stay for ever.
  socket
    .on('error', () => socket.destroy())
    .setTimeout(LINGER_MS, () => socket.destroy())
    .resume();
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
