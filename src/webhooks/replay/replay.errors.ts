import { ApiError, cut } from '../../common/errors/api-error.js';

/** A replay requires a challenge first. */
export const needsCheck = (webhookId: string, details?: string) =>
  new ApiError(400, 214, 'Webhook is marked invalid and requires a CRC check.', {
    parameter: 'webhook_id',
    value: webhookId,
    ...(details !== undefined && { details }),
  });

/** The challenge failed for a temporary reason, such as a 503 response. The webhook's validity is unchanged. */
export const challengeFailed = (webhookId: string, why: string) =>
  new ApiError(400, 214, `The webhook ${webhookId} did not pass the challenge before the replay. ${why}`, {
    parameter: 'webhook_id',
    value: webhookId,
    details: 'its validity is unchanged; repeat the request when its receiver answers challenges again',
  });

export const replayRunning = (webhookId: string) =>
  new ApiError(409, 214, `A replay of the webhook ${webhookId} is running; start the next one after it ends`, {
    parameter: 'webhook_id',
    value: webhookId,
  });

export const replayNotFound = (id: string) =>
  new ApiError(404, 34, `Replay job ${cut(id, 100)} was not found`, { parameter: 'job_id', value: cut(id, 100) });
