/** The part of the reference server that answers line items; see there. One and forty have the rows that the service stores. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type pg from 'pg';
import { newId, recorded, records, recordset } from './reference-records.js';

const STORE = { name: 'line items', text: recorded([recordset('line_items', '$1')], 1) };

interface Wanted {
  campaign_id: string;
  objective: string;
  product_type: string;
  placements: string | string[];
  start_time: string;
  end_time: string;
  name: string;
  entity_status: string;
  bid_amount_local_micro: number | string;
}

/** What belongs to the account of the bench, and never changes. */
interface Surroundings {
  fundingInstrumentId: string;
  advertiserUserId: string;
}

const rowOf = (accountId: string, wanted: Wanted, now: string, around: Surroundings) => ({
  id: newId(),
  createdAt: now,
  updatedAt: now,
  deletedAt: null,
  accountId,
  campaignId: wanted.campaign_id,
  currency: 'USD',
  name: wanted.name,
  productType: wanted.product_type,
  objective: wanted.objective,
  goal: 'ENGAGEMENT',
  placements: [wanted.placements].flat(),
  categories: [],
  bidStrategy: 'MAX',
  bidAmountLocalMicro: Number(wanted.bid_amount_local_micro),
  payBy: 'ENGAGEMENT',
  startTime: wanted.start_time,
  endTime: wanted.end_time,
  spentLocalMicro: 0,
  creativeSource: 'MANUAL',
  entityStatus: wanted.entity_status,
  creatives: 0,
  counted: false,
  campaignDeleted: false,
  ...around,
});
type Row = ReturnType<typeof rowOf>;

const settingsOf = (row: Row) =>
  `"advertiser_user_id":"${row.advertiserUserId}","name":${JSON.stringify(row.name)},"placements":${JSON.stringify(row.placements)},` +
  `"start_time":"${row.startTime}","bid_amount_local_micro":${row.bidAmountLocalMicro},"advertiser_domain":null,"target_cpa_local_micro":null,` +
  `"primary_web_event_tag":null,"goal":"${row.goal}","daily_budget_amount_local_micro":null,"product_type":"${row.productType}",` +
  `"end_time":"${row.endTime}","funding_instrument_id":"${row.fundingInstrumentId}","bid_strategy":"${row.bidStrategy}","duration_in_days":null,` +
  `"standard_delivery":null,"total_budget_amount_local_micro":null,"objective":"${row.objective}","entity_status":"${row.entityStatus}",` +
  `"automatic_post_promotion":null,"frequency_cap":null,"android_app_store_identifier":null,"categories":[],"currency":"USD",` +
  `"pay_by":"${row.payBy}","ios_app_store_identifier":null,"audience_expansion":null,"campaign_id":"${row.campaignId}","creative_source":"MANUAL",` +
  `"catalog_id":null,"product_set_id":null`;

const seconds = (time: string) => `${time.slice(0, 19)}Z`;
const lineItem = (row: Row) =>
  `{"id":"${row.id}","created_at":"${seconds(row.createdAt)}","updated_at":"${seconds(row.updatedAt)}","deleted":false,${settingsOf(row)},` +
  `"reasons_not_servable":["PAUSED_BY_ADVERTISER","INCOMPLETE"],"servable":false,"effective_status":"UNKNOWN"}`;

const echo = ({ placements, bid_amount_local_micro: bid, ...wanted }: Wanted) =>
  JSON.stringify({ ...wanted, placements: [placements].flat(), bid_amount_local_micro: Number(bid) });

const send = (reply: FastifyReply, body: string) => reply.type('application/json; charset=utf-8').send(body);
interface OfAccount {
  account_id: string;
}

/** Adds the routes of line items. */
export function lineItems(server: FastifyInstance, pool: pg.Pool): void {
  const known = new Map<string, Surroundings>();
  const around = async (accountId: string): Promise<Surroundings> => {
    const found = known.get(accountId);
    if (found) return found;
    const { rows } = await pool.query<Surroundings>(
      `SELECT f.id AS "fundingInstrumentId", p."userId" AS "advertiserUserId" FROM funding_instruments f
        JOIN promotable_users p ON p."accountId" = f."accountId" AND p."promotableUserType" = 'FULL' WHERE f."accountId" = $1`,
      [accountId],
    );
    known.set(accountId, rows[0]);
    return rows[0];
  };

  const store = async (account: string, rows: Row[], now: string) => {
    const kept = rows.map((row) => ({
      id: row.id,
      entityData: JSON.parse(
        `{${settingsOf(row)},"created_at":"${now}","updated_at":"${now}","deleted":false}`,
      ) as object,
    }));
    await pool.query({ ...STORE, values: [JSON.stringify(rows), records(account, 'LINE_ITEM', kept, now)] });
  };

  server.post('/12/accounts/:account_id/line_items', async (request, reply) => {
    const { account_id: account } = request.params as OfAccount;
    const wanted = request.query as Wanted;
    const now = new Date().toISOString();
    const row = rowOf(account, wanted, now, await around(account));
    await store(account, [row], now);
    reply.code(201);
    const params = `${echo(wanted).slice(0, -1)},"account_id":"${account}"}`;
    return send(reply, `{"request":{"params":${params}},"data":${lineItem(row)}}`);
  });

  server.post('/12/batch/accounts/:account_id/line_items', async (request, reply) => {
    const { account_id: account } = request.params as OfAccount;
    const operations = request.body as { params: Wanted }[];
    const now = new Date().toISOString();
    const surroundings = await around(account);
    const rows = operations.map(({ params }) => rowOf(account, params, now, surroundings));
    await store(account, rows, now);
    const asked = operations.map(
      ({ params }) => `{"params":${echo(params).slice(0, -1)},"account_id":"${account}"},"operation_type":"Create"}`,
    );
    return send(reply, `{"data":[${rows.map(lineItem).join(',')}],"request":[${asked.join(',')}]}`);
  });
}
