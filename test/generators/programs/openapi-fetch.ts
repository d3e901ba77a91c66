/** A client made by openapi-typescript and openapi-fetch: each kind of call, as its users write it. */
import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/openapi-typescript.js';

const ads = createClient<paths>({ baseUrl: 'http://localhost:3000' });
type Campaign = components['schemas']['CampaignView'];
type Money = Campaign['daily_budget_amount_local_micro'];

/** A list with filters, page by page. */
export async function campaignsOf(account_id: string): Promise<Campaign[]> {
  const found: Campaign[] = [];
  let cursor: string | undefined;
  do {
    const { data, error } = await ads.GET('/12/accounts/{account_id}/campaigns', {
      params: {
        path: { account_id },
        query: { q: 'autumn', count: 50, sort_by: ['name-asc', 'created_at-desc'], with_deleted: true, cursor },
      },
      querySerializer: { array: { style: 'form', explode: false } },
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
export function explained(error: components['schemas']['ErrorBody']): string {
  return error.errors
    .map(({ code, message, parameter, details, signature_help }) =>
      [code, message, parameter, details, signature_help?.differs, signature_help?.base_string].join(' '),
    )
    .join('\n');
}

/** Makes, reads, changes and deletes one. */
export async function oneCampaign(account_id: string, funding_instrument_id: string): Promise<Money> {
  const path = { account_id };
  const made = await ads.POST('/12/accounts/{account_id}/campaigns', {
    params: { path },
    body: { funding_instrument_id, name: 'Winter menu', daily_budget_amount_local_micro: 5_500_000 },
  });
  if (made.error) {
    const word: components['schemas']['ErrorCode'] | number = made.error.errors[0].code;
    throw new Error(String(word));
  }
  const { id: campaign_id, entity_status } = made.data.data;
  const status: 'ACTIVE' | 'DRAFT' | 'PAUSED' = entity_status;
  const read = await ads.GET('/12/accounts/{account_id}/campaigns/{campaign_id}', {
    params: { path: { ...path, campaign_id }, query: { with_deleted: true } },
  });
  await ads.PUT('/12/accounts/{account_id}/campaigns/{campaign_id}', {
    params: { path: { ...path, campaign_id } },
    body: {
      total_budget_amount_local_micro: '',
      purchase_order_number: '',
      entity_status: status === 'DRAFT' ? 'PAUSED' : status,
    },
  });
  await ads.DELETE('/12/accounts/{account_id}/campaigns/{campaign_id}', { params: { path: { ...path, campaign_id } } });
  return read.data?.data.daily_budget_amount_local_micro ?? null;
}

/** All or none. */
export async function manyCampaigns(account_id: string, funding_instrument_id: string): Promise<string[]> {
  const { data, error } = await ads.POST('/12/batch/accounts/{account_id}/campaigns', {
    params: { path: { account_id } },
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
  const request = await ads.POST('/oauth/request_token', {
    body: { oauth_callback: 'oob', x_auth_access_type: 'read' },
    parseAs: 'text',
  });
  const access = await ads.POST('/oauth/access_token', { body: { oauth_verifier: '1234567' }, parseAs: 'text' });
  const bearer = await ads.POST('/oauth2/token', { body: { grant_type: 'client_credentials' } });
  if (bearer.error) throw new Error(bearer.error.errors[0].code.toFixed());
  return [String(request.data), String(access.data), bearer.data.token_type, bearer.data.access_token];
}
