/** The part of the reference server that stores targeting criteria, with their history; see there. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type pg from 'pg';
import { newId, recorded, records, recordset } from './reference-records.js';

const ONE = {
  name: 'criterion',
  text: recorded(
    [
      `INSERT INTO targeting_criteria (id, "createdAt", "updatedAt", "accountId", "lineItemId", "campaignId", name, "targetingType",
        "targetingValue", "operatorType") VALUES ($1, $2, $2, $3, $4, '1', $5, $6, $5, 'EQ')`,
    ],
    6,
  ),
};
const MANY = {
  name: 'criteria',
  text: recorded([recordset('targeting_criteria', '$1')], 1),
};

interface Wanted {
  line_item_id: string;
  targeting_type: string;
  targeting_value: string;
}

const criterion = (id: string, now: string, wanted: Wanted): string =>
  `{"id":"${id}","created_at":"${now}","updated_at":"${now}","deleted":false,"line_item_id":"${wanted.line_item_id}",` +
  `"name":${JSON.stringify(wanted.targeting_value)},"operator_type":"EQ","targeting_value":${JSON.stringify(wanted.targeting_value)},` +
  `"targeting_type":"${wanted.targeting_type}"}`;

/** What the history keeps of criteria. */
const recordsOf = (account: string, made: { id: string; wanted: Wanted }[], now: string) =>
  records(
    account,
    'TARGETING_CRITERIA',
    made.map(({ id, wanted }) => ({
      id,
      entityData: {
        ...{ id, created_at: now, updated_at: now, deleted: false },
        ...{ line_item_id: wanted.line_item_id, name: wanted.targeting_value, operator_type: 'EQ' },
        ...{ targeting_value: wanted.targeting_value, targeting_type: wanted.targeting_type },
      },
    })),
    now,
  );

const asked = (account: string, wanted: Wanted) =>
  `{"params":{"line_item_id":"${wanted.line_item_id}","targeting_type":"${wanted.targeting_type}",` +
  `"targeting_value":${JSON.stringify(wanted.targeting_value)},"account_id":"${account}"}`;

export function targeting(server: FastifyInstance, pool: pg.Pool): void {
  const send = (reply: FastifyReply, body: string) => reply.type('application/json; charset=utf-8').send(body);
  const time = (moment: Date) => `${moment.toISOString().slice(0, 19)}Z`;

  server.post('/12/accounts/:account_id/targeting_criteria', async (request, reply) => {
    const { account_id: account } = request.params as { account_id: string };
    const wanted = request.query as Wanted;
    const [id, now] = [newId(), new Date()];
    const { line_item_id: item, targeting_value: value, targeting_type: type } = wanted;
    const at = now.toISOString();
    const values = [id, at, account, item, value, type, recordsOf(account, [{ id, wanted }], at)];
    await pool.query({ ...ONE, values });
    reply.code(201);
    return send(reply, `{"request":${asked(account, wanted)}},"data":${criterion(id, time(now), wanted)}}`);
  });

  server.post('/12/batch/accounts/:account_id/targeting_criteria', async (request, reply) => {
    const { account_id: account } = request.params as { account_id: string };
    const operations = request.body as { params: Wanted }[];
    const now = new Date();
    const [at, shown] = [now.toISOString(), time(now)];
    const rows = operations.map(({ params }) => ({
      id: newId(),
      createdAt: at,
      updatedAt: at,
      accountId: account,
      lineItemId: params.line_item_id,
      campaignId: '1',
      name: params.targeting_value,
      targetingType: params.targeting_type,
      targetingValue: params.targeting_value,
      operatorType: 'EQ',
    }));
    const made = operations.map(({ params }, i) => ({ id: rows[i].id, wanted: params }));
    await pool.query({ ...MANY, values: [JSON.stringify(rows), recordsOf(account, made, at)] });
    const data = operations.map(({ params }, i) => criterion(rows[i].id, shown, params));
    const echoed = operations.map(({ params }) => `${asked(account, params)},"operation_type":"Create"}`);
    return send(reply, `{"data_type":"targeting_criterion","data":[${data.join()}],"request":[${echoed.join()}]}`);
  });
}
