import { MASK } from '../../auth/masking.js';
import type { RequestWithEvents } from './journaled-request.presenter.js';

/** The header of a request that a page sent again: the id of the first one in the journal. */
export const RESENT_HEADER = 'x-marquee-resent-from';

/** Why a request cannot be sent again as it was; undefined if it can. */
export function unlikelyAgain({ request, detail }: RequestWithEvents): string | undefined {
  const { body, parameters, contentType, scheme } = detail;
  if (body.truncated || contentType?.startsWith('multipart/') || contentType?.startsWith('application/octet-stream'))
    return 'The journal does not have its body.';
  if ([request.path, body.text, JSON.stringify(parameters)].some((text) => text?.includes(MASK)))
    return 'A part of it is masked.';
  return scheme === 'OAUTH1' ? undefined : 'It was not signed by a user.';
}
