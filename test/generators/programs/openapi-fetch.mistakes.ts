/** Mistakes that do not type-check: `tsc` complains about every line that it is told to expect one on, and finds none. */
import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/openapi-typescript.js';

const ads = createClient<paths>({ baseUrl: 'http://localhost:3000' });
const path = { account_id: 'a' };
const required = { funding_instrument_id: 'f', name: 'n' };

export async function mistakes() {
  // @ts-expect-error there is no such path
  await ads.GET('/12/accounts/{account_id}/campaign', { params: { path } });
  // @ts-expect-error it cannot be replaced
  await ads.PATCH('/12/accounts/{account_id}/campaigns', { params: { path } });
  // @ts-expect-error the account is missing
  await ads.GET('/12/accounts/{account_id}/campaigns', { params: { query: {} } });
  // @ts-expect-error there is no such parameter
  await ads.GET('/12/accounts/{account_id}/campaigns', { params: { path, query: { page: 2 } } });
  // @ts-expect-error a count is a number
  await ads.GET('/12/accounts/{account_id}/campaigns', { params: { path, query: { count: 'many' } } });
  // @ts-expect-error nobody can sort by this
  await ads.GET('/12/accounts/{account_id}/campaigns', { params: { path, query: { sort_by: ['color-asc'] } } });
  // @ts-expect-error a form is missing
  await ads.POST('/12/accounts/{account_id}/campaigns', { params: { path } });
  // @ts-expect-error the name is missing
  await ads.POST('/12/accounts/{account_id}/campaigns', { params: { path }, body: { funding_instrument_id: 'f' } });
  // @ts-expect-error there is no such parameter
  const body: components['schemas']['CreateCampaignForm'] = { ...required, color: 'red' };
  await ads.POST('/12/accounts/{account_id}/campaigns', { params: { path }, body });
  await ads.POST('/12/accounts/{account_id}/campaigns', {
    params: { path },
    // @ts-expect-error money is a whole number of micro-units
    body: { ...required, daily_budget_amount_local_micro: '5.50' },
  });
  await ads.POST('/12/accounts/{account_id}/campaigns', {
    params: { path },
    // @ts-expect-error there is no such status
    body: { ...required, entity_status: 'ON' },
  });
  // @ts-expect-error parameters of a form are not in the query, too
  await ads.POST('/12/accounts/{account_id}/campaigns', { params: { path, query: required }, body: required });
  await ads.PUT('/12/accounts/{account_id}/campaigns/{campaign_id}', {
    params: { path: { ...path, campaign_id: 'c' } },
    // @ts-expect-error nothing becomes a draft again
    body: { entity_status: 'DRAFT' },
  });
  await ads.PUT('/12/accounts/{account_id}/campaigns/{campaign_id}', {
    params: { path: { ...path, campaign_id: 'c' } },
    // @ts-expect-error a form has no null: an empty value unsets
    body: { total_budget_amount_local_micro: null },
  });
  await ads.POST('/12/batch/accounts/{account_id}/campaigns', {
    params: { path },
    // @ts-expect-error there is no such operation
    body: [{ operation_type: 'Upsert', params: required }],
  });
  await ads.POST('/12/batch/accounts/{account_id}/campaigns', {
    params: { path },
    // @ts-expect-error what is updated is missing
    body: [{ operation_type: 'Update', params: { name: 'n' } }],
  });
  // @ts-expect-error there is no such grant
  await ads.POST('/oauth2/token', { body: { grant_type: 'password' } });
  // @ts-expect-error the callback is missing
  await ads.POST('/oauth/request_token', { body: { x_auth_access_type: 'read' } });

  const { data, error } = await ads.GET('/12/accounts/{account_id}/campaigns', { params: { path } });
  // @ts-expect-error there may be none
  console.log(data.data);
  // @ts-expect-error there may be none
  console.log(error.errors);
  if (!data) return;
  // @ts-expect-error there may be no next page
  console.log(data.next_cursor.length);
  // @ts-expect-error it was not asked for
  console.log(data.total_count.toFixed());
  // @ts-expect-error there is no such field
  console.log(data.data[0].budget);
  // @ts-expect-error there may be no daily budget
  console.log(data.data[0].daily_budget_amount_local_micro.toFixed());
  // @ts-expect-error there is no such status
  console.log(data.data[0].effective_status === 'SLEEPING');
  // @ts-expect-error there may be no hint
  console.log((null as unknown as components['schemas']['Error']).signature_help.differs);
}
