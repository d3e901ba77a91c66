/** Mistakes that do not type-check: `tsc` complains about every line that it is told to expect one on, and finds none. */
import {
  batchCampaigns,
  createCampaign,
  listCampaigns,
  requestToken,
  tokenOAuth2,
  updateCampaign,
} from '../generated/hey-api/sdk.gen';
import type { Error as ApiError } from '../generated/hey-api/types.gen';

const path = { account_id: 'a' };
const required = { funding_instrument_id: 'f', name: 'n' };

export async function mistakes() {
  // @ts-expect-error the account is missing
  await listCampaigns({ query: {} });
  // @ts-expect-error there is no such parameter
  await listCampaigns({ path, query: { page: 2 } });
  // @ts-expect-error a count is a number
  await listCampaigns({ path, query: { count: 'many' } });
  // @ts-expect-error nobody can sort by this
  await listCampaigns({ path, query: { sort_by: ['color-asc'] } });
  // @ts-expect-error a form is missing
  await createCampaign({ path });
  // @ts-expect-error the name is missing
  await createCampaign({ path, body: { funding_instrument_id: 'f' } });
  // @ts-expect-error there is no such parameter
  await createCampaign({ path, body: { ...required, color: 'red' } });
  // @ts-expect-error money is a whole number of micro-units
  await createCampaign({ path, body: { ...required, daily_budget_amount_local_micro: '5.50' } });
  // @ts-expect-error there is no such status
  await createCampaign({ path, body: { ...required, entity_status: 'ON' } });
  // @ts-expect-error parameters of a form are not in the query, too
  await createCampaign({ path, query: required, body: required });
  // @ts-expect-error nothing becomes a draft again
  await updateCampaign({ path: { ...path, campaign_id: 'c' }, body: { entity_status: 'DRAFT' } });
  // @ts-expect-error a form has no null: an empty value unsets
  await updateCampaign({ path: { ...path, campaign_id: 'c' }, body: { total_budget_amount_local_micro: null } });
  // @ts-expect-error there is no such operation
  await batchCampaigns({ path, body: [{ operation_type: 'Upsert', params: required }] });
  // @ts-expect-error what is updated is missing
  await batchCampaigns({ path, body: [{ operation_type: 'Update', params: { name: 'n' } }] });
  // @ts-expect-error there is no such grant
  await tokenOAuth2({ body: { grant_type: 'password' } });
  // @ts-expect-error the callback is missing
  await requestToken({ body: { x_auth_access_type: 'read' } });

  const { data, error } = await listCampaigns({ path });
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
  console.log((null as unknown as ApiError).signature_help.differs);
}
