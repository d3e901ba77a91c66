/**
 * What the service is measured against: Fastify, pg and named statements, and nothing else. It answers the bytes that the
 * service answers, from the same tables, and leaves out what costs: nobody signs, nothing is checked, counted or logged.
 * What it makes has its history and its event, but for a single campaign, which is one row.
 */
import fastify, { type FastifyReply } from 'fastify';
import pg from 'pg';
import { creatives } from './reference-creatives.js';
import { lineItems } from './reference-line-items.js';
import { promotedPosts } from './reference-promoted-posts.js';
import { newId, recorded, records, recordset } from './reference-records.js';
import { targeting } from './reference-targeting.js';
import { estimates } from './reference-estimates.js';

/** How many users the service estimates over. */
const SAMPLE_SIZE = 100_000;

/** The settings as JSON in the first argument. */
const { databaseUrl, port, baseUrl } = JSON.parse(process.argv[2]) as {
  databaseUrl: string;
  port: number;
  baseUrl: string;
};

interface CampaignRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
  accountId: string;
  fundingInstrumentId: string;
  name: string;
  currency: string;
  budgetOptimization: string;
  dailyBudgetAmountLocalMicro: string | number | null;
  totalBudgetAmountLocalMicro: string | number | null;
  spentLocalMicro: string | number;
  standardDelivery: boolean | null;
  purchaseOrderNumber: string | null;
  durationInDays: number | null;
  frequencyCap: number | null;
  entityStatus: string;
  startTime: string | null;
  endTime: string | null;
  complete: boolean;
}

const COLUMNS: (keyof CampaignRow)[] = [
  'id',
  'createdAt',
  'updatedAt',
  'deletedAt',
  'accountId',
  'fundingInstrumentId',
  'name',
  'currency',
  'budgetOptimization',
  'dailyBudgetAmountLocalMicro',
  'totalBudgetAmountLocalMicro',
  'spentLocalMicro',
  'standardDelivery',
  'purchaseOrderNumber',
  'durationInDays',
  'frequencyCap',
  'entityStatus',
  'startTime',
  'endTime',
  'complete',
];
const columns = COLUMNS.map((name) => `"${name}"`).join(', ');
const placeholders = COLUMNS.map((_, i) => `$${i + 1}`).join(', ');

const ONE = {
  name: 'one',
  text: `SELECT ${columns} FROM campaigns WHERE "accountId" = $1 AND id = $2 AND "deletedAt" IS NULL`,
};
const LIST = {
  name: 'list',
  text: `SELECT ${columns} FROM campaigns WHERE "accountId" = $1 AND "deletedAt" IS NULL AND "entityStatus" <> 'DRAFT' ORDER BY id DESC LIMIT $2`,
};
const CREATE = { name: 'create', text: `INSERT INTO campaigns (${columns}) VALUES (${placeholders})` };
const BATCH = { name: 'batch', text: recorded([recordset('campaigns', '$1')], 1) };

const TIMESTAMPTZ = 1184;
const JSON_TEXT = 114;
const asText = (text: string) => text;
const pool = new pg.Pool({
  connectionString: databaseUrl,
  max: 10,
  options: '-c TimeZone=UTC',
  types: {
    // Numbers, times and JSON go out as they came in.
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      [TIMESTAMPTZ, JSON_TEXT, 20].includes(oid) ? asText : (pg.types.getTypeParser(oid, format) as typeof asText),
  },
});

const time = (stored: string) => `${stored.slice(0, 10)}T${stored.slice(11, 19)}Z`;
const text = (value: string | null) => (value === null ? 'null' : JSON.stringify(value));

/** What is known of the bench's campaigns: they have neither flight nor spend, and their funding is in order. */
function standing({ entityStatus, complete }: CampaignRow): string {
  const paused = entityStatus !== 'ACTIVE';
  if (!complete)
    return `"reasons_not_servable":[${paused ? '"PAUSED_BY_ADVERTISER",' : ''}"INCOMPLETE"],"servable":false`;
  return paused
    ? '"reasons_not_servable":["PAUSED_BY_ADVERTISER"],"servable":false'
    : '"reasons_not_servable":[],"servable":true';
}

const effectiveStatus = ({ entityStatus, complete }: CampaignRow) =>
  complete ? (entityStatus === 'ACTIVE' ? 'RUNNING' : 'PAUSED') : 'UNKNOWN';

const campaign = (row: CampaignRow): string =>
  `{"id":"${row.id}","created_at":"${time(row.createdAt)}","updated_at":"${time(row.updatedAt)}","deleted":${row.deletedAt !== null},` +
  `"name":${text(row.name)},"budget_optimization":"${row.budgetOptimization}",${standing(row)},` +
  `"purchase_order_number":${text(row.purchaseOrderNumber)},"effective_status":"${effectiveStatus(row)}",` +
  `"daily_budget_amount_local_micro":${row.dailyBudgetAmountLocalMicro},"funding_instrument_id":"${row.fundingInstrumentId}",` +
  `"duration_in_days":${row.durationInDays},"standard_delivery":${row.standardDelivery},` +
  `"total_budget_amount_local_micro":${row.totalBudgetAmountLocalMicro},"entity_status":"${row.entityStatus}",` +
  `"frequency_cap":${row.frequencyCap},"currency":"${row.currency}"}`;

interface Wanted {
  funding_instrument_id: string;
  name: string;
  entity_status: string;
  daily_budget_amount_local_micro: number | string;
}

function draft(accountId: string, wanted: Wanted, now: string): CampaignRow {
  return {
    id: newId(),
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    accountId,
    fundingInstrumentId: wanted.funding_instrument_id,
    name: wanted.name,
    currency: 'USD',
    budgetOptimization: 'CAMPAIGN',
    dailyBudgetAmountLocalMicro: wanted.daily_budget_amount_local_micro,
    totalBudgetAmountLocalMicro: null,
    spentLocalMicro: 0,
    standardDelivery: true,
    purchaseOrderNumber: null,
    durationInDays: null,
    frequencyCap: null,
    entityStatus: wanted.entity_status,
    startTime: null,
    endTime: null,
    complete: false,
  };
}

/** What the history keeps of a campaign, and so its rows are as large as the service's. */
const snapshot = (row: CampaignRow) => ({
  name: row.name,
  start_time: null,
  end_time: null,
  purchase_order_number: null,
  daily_budget_amount_local_micro: row.dailyBudgetAmountLocalMicro,
  total_budget_amount_local_micro: null,
  duration_in_days: null,
  standard_delivery: true,
  entity_status: row.entityStatus,
  frequency_cap: null,
  created_at: time(row.createdAt),
  updated_at: time(row.updatedAt),
  deleted: false,
});

const server = fastify();
const send = (reply: FastifyReply, body: string) => reply.type('application/json; charset=utf-8').send(body);

interface OfAccount {
  account_id: string;
}

server.get('/12/accounts/:account_id/campaigns/:campaign_id', async (request, reply) => {
  const { account_id: account, campaign_id: id } = request.params as OfAccount & { campaign_id: string };
  const { rows } = await pool.query<CampaignRow>({ ...ONE, values: [account, id] });
  return send(
    reply,
    `{"request":{"params":{"account_id":${text(account)},"campaign_id":${text(id)}}},"data":${campaign(rows[0])}}`,
  );
});

server.get('/12/accounts/:account_id/campaigns', async (request, reply) => {
  const { account_id: account } = request.params as OfAccount;
  const count = Number((request.query as { count: string }).count);
  const { rows } = await pool.query<CampaignRow>({ ...LIST, values: [account, count + 1] });
  const more = rows.length > count;
  if (more) rows.length = count;
  const cursor = more ? text(Buffer.from(rows[count - 1].id).toString('base64url')) : 'null';
  return send(
    reply,
    `{"request":{"params":{"count":${count},"account_id":${text(account)}}},"next_cursor":${cursor},"data":[${rows.map(campaign).join(',')}]}`,
  );
});

server.post('/12/accounts/:account_id/campaigns', async (request, reply) => {
  const { account_id: account } = request.params as OfAccount;
  const wanted = request.query as Wanted;
  const row = draft(account, wanted, new Date().toISOString());
  await pool.query({ ...CREATE, values: COLUMNS.map((name) => row[name]) });
  reply.code(201);
  return send(
    reply,
    `{"request":{"params":{"funding_instrument_id":"${wanted.funding_instrument_id}","name":${text(wanted.name)},"entity_status":"${wanted.entity_status}",` +
      `"daily_budget_amount_local_micro":${wanted.daily_budget_amount_local_micro},"account_id":${text(account)}}},"data":${campaign(row)}}`,
  );
});

server.post('/12/batch/accounts/:account_id/campaigns', async (request, reply) => {
  const { account_id: account } = request.params as OfAccount;
  const operations = request.body as { operation_type: string; params: Wanted }[];
  const now = new Date().toISOString();
  const rows = operations.map(({ params }) => draft(account, params, now));
  const kept = rows.map((row) => ({ id: row.id, entityData: snapshot(row) }));
  await pool.query({ ...BATCH, values: [JSON.stringify(rows), records(account, 'CAMPAIGN', kept, now)] });
  const asked = operations.map(
    ({ params }) =>
      `{"params":{"funding_instrument_id":"${params.funding_instrument_id}","name":${text(params.name)},"entity_status":"${params.entity_status}",` +
      `"daily_budget_amount_local_micro":${params.daily_budget_amount_local_micro},"account_id":${text(account)}},"operation_type":"Create"}`,
  );
  return send(reply, `{"data":[${rows.map(campaign).join(',')}],"request":[${asked.join(',')}]}`);
});

creatives(server, pool, baseUrl);
lineItems(server, pool);
targeting(server, pool);
promotedPosts(server, pool);
estimates(server, pool, SAMPLE_SIZE);
await server.listen({ port, host: '127.0.0.1' });
