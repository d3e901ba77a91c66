import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Calls `work` once, when the response is sent or nobody will read it: the client may already have left. A response that waits
 * for others of its connection does not learn that the connection was closed, so the socket tells it.
 */
export function onceClosed({ raw: { socket } }: FastifyRequest, reply: FastifyReply, work: () => void): void {
  const end = () => {
    socket.off('close', end);
    reply.raw.off('close', end);
    work();
  };
  if (socket.destroyed || reply.raw.destroyed) return work();
  socket.once('close', end);
  reply.raw.once('close', end);
}
