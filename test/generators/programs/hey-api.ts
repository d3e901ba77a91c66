/** A client made by @hey-api/openapi-ts: each kind of call, as its users write it. */
import {
  accessToken,
  batchCampaigns,
  createCampaign,
  deleteCampaign,
  getCampaign,
  listCampaigns,
  requestToken,
  tokenOAuth2,
  updateCampaign,
} from '../generated/hey-api/sdk.gen';
import type { CampaignView, ErrorBody, ErrorCode } from '../generated/hey-api/types.gen';

/** A list with filters, page by page. */
export async function campaignsOf(account_id: string): Promise<CampaignView[]> {
  const found: CampaignView[] = [];
  let cursor: string | undefined;
  do {
    const { data, error } = await listCampaigns({
      path: { account_id },
      query: { q: 'autumn', count: 50, sort_by: ['name-asc', 'created_at-desc'], with_deleted: true, cursor },
    });
    if (error) throw new Error(explained(error));
    found.push(...data.data);
    cursor = data.next_cursor ?? undefined;
    const total: number | undefined = data.total_count;
    console.log(total, data.request.params.account_id);
  } while (cursor !== undefined);
  return found;
}

/** What an error of the advertising family says, the hint at the signature included. */
export const explained = ({ errors }: ErrorBody): string =>
  errors
    .map(({ code, message, parameter, details, signature_help }) =>
      [code, message, parameter, details, signature_help?.differs, signature_help?.base_string].join(' '),
    )
    .join('\n');

/** Makes, reads, changes and deletes one. */
export async function oneCampaign(account_id: string, funding_instrument_id: string): Promise<number | null> {
  const made = await createCampaign({
    path: { account_id },
    body: { funding_instrument_id, name: 'Winter menu', daily_budget_amount_local_micro: 5_500_000 },
  });
  if (made.error) {
    const word: ErrorCode | number = made.error.errors[0].code;
    throw new Error(String(word));
  }
  const { id: campaign_id, entity_status } = made.data.data;
  const status: 'ACTIVE' | 'DRAFT' | 'PAUSED' = entity_status;
  const path = { account_id, campaign_id };
  const read = await getCampaign({ path, query: { with_deleted: true } });
  await updateCampaign({
    path,
    body: {
      total_budget_amount_local_micro: '',
      purchase_order_number: '',
      entity_status: status === 'DRAFT' ? 'PAUSED' : status,
    },
  });
  await deleteCampaign({ path });
  return read.data?.data.daily_budget_amount_local_micro ?? null;
}

/** All or none. */
export async function manyCampaigns(account_id: string, funding_instrument_id: string): Promise<string[]> {
  const { data, error } = await batchCampaigns({
    path: { account_id },
    body: [
      { operation_type: 'Create', params: { funding_instrument_id, name: 'Winter menu', entity_status: 'PAUSED' } },
      { operation_type: 'Update', params: { campaign_id: '0abc', daily_budget_amount_local_micro: null } },
      { operation_type: 'Delete', params: { campaign_id: '0abd' } },
    ],
  });
  if (!error) return data.data.map(({ id }) => id);
  const faults = 'operation_errors' in error ? error.operation_errors.flat() : error.errors;
  throw new Error(faults.map(({ message }) => message).join());
}

/** The flow of OAuth 1.0a, and the bearer token of an application. */
export async function keys(): Promise<string[]> {
  const request = await requestToken({ body: { oauth_callback: 'oob', x_auth_access_type: 'read' } });
  const access = await accessToken({ body: { oauth_verifier: '1234567' } });
  const bearer = await tokenOAuth2({ body: { grant_type: 'client_credentials' } });
  if (bearer.error) throw new Error(bearer.error.errors[0].code.toFixed());
  const ids = [request.data?.oauth_token, access.data?.user_id].map(String);
  return [...ids, bearer.data.token_type, bearer.data.access_token];
}
