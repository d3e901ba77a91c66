import type { FastifyRequest } from 'fastify';
import type { Sender } from '../../common/http/errors/refused.js';

/** Number of characters shown of an unknown consumer key: a secret may be in its place by mistake. */
const TOLD_OF_UNKNOWN = 6;

/** The sender of a request, verified or claimed, as far as its guards got before they rejected it. */
export function senderOf(request: FastifyRequest): Sender {
  const { user, bearer, client, byApplication, withRequestToken, refusal } = request;
  if (user) return { application: user.application.id, user: user.userId, token: user.tokenId };
  if (bearer) return { application: bearer.applicationId, token: bearer.tokenId };
  const application = client?.applicationId ?? (byApplication ?? withRequestToken)?.consumer.id;
  if (application !== undefined) return { application };
  const { applicationId, tokenId, consumerKey, aheadSeconds } = refusal ?? {};
  return {
    application: applicationId,
    token: tokenId,
    consumer_key: applicationId === undefined ? begun(consumerKey) : consumerKey,
    ahead_seconds: aheadSeconds,
  };
}

const begun = (key: string | undefined) => (key === undefined ? undefined : `${key.slice(0, TOLD_OF_UNKNOWN)}...`);
