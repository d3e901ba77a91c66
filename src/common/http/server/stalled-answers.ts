import type { ServerResponse } from 'node:http';

/** How long a client may take no byte of a response. */
const STALL_MS = 10_000;

/**
 * Closes the connection when its socket has taken no byte for a while although there is something to send: its client reads
 * nothing, and the response would stay in memory. Node restarts the timer with each byte that the socket takes, so slow
 * downloads go on, and so does a response that is not ready yet.
 */
export function endWhenStalled(response: ServerResponse, onStalled: () => void, stallMs = STALL_MS): void {
  response.setTimeout(stallMs, () => {
    const { socket } = response;
    if (!socket?.writableLength) return;
    onStalled();
    socket.destroy();
  });
}
