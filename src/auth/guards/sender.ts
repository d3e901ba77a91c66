import type { FastifyRequest } from 'fastify';
import type { Sender } from '../../common/http/errors/refused.js';

/** How much of a consumer key that is not known here is told: what stands there may be a secret in the wrong place. */
const TOLD_OF_UNKNOWN = 6;

/** Who a request is from, or says it is from, by what its guards found out before it was refused. */
export function senderOf(request: FastifyRequest): Sender {
  const { user, bearer, client, byApplication, withRequestToken, refusal } = request;
  if (user) return { application: user.application.id, token: user.tokenId };
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
