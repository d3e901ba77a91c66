/** The part of the reference server that has posts promoted, with their history and events; see there. */
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { newId, recorded, records, recordset } from './reference-records.js';

const MANY = { name: 'promoted posts', text: recorded([recordset('promoted_posts', '$1')], 1) };

/** Adds the route of promoted posts. */
export function promotedPosts(server: FastifyInstance, pool: pg.Pool): void {
  server.post('/12/accounts/:account_id/promoted_posts', async (request, reply) => {
    const { account_id: account } = request.params as { account_id: string };
    const { line_item_id: item, post_ids } = request.query as { line_item_id: string; post_ids: string };
    const posts = post_ids.split(',');
    const now = new Date().toISOString();
    const rows = posts.map((post) => ({
      id: newId(),
      createdAt: now,
      updatedAt: now,
      accountId: account,
      lineItemId: item,
      postId: post,
      sourcePostId: post,
      paused: false,
      approvalStatus: 'ACCEPTED',
    }));
    const kept = rows.map(({ id, postId }) => ({
      id,
      entityData: {
        ...{ id, created_at: now, updated_at: now, deleted: false, line_item_id: item },
        ...{ entity_status: 'ACTIVE', approval_status: 'ACCEPTED', post_id: postId },
      },
    }));
    await pool.query({ ...MANY, values: [JSON.stringify(rows), records(account, 'PROMOTED_POST', kept, now)] });
    const time = `${now.slice(0, 19)}Z`;
    const data = rows.map(
      ({ id, postId }) =>
        `{"id":"${id}","created_at":"${time}","updated_at":"${time}","deleted":false,"line_item_id":"${item}",` +
        `"entity_status":"ACTIVE","approval_status":"ACCEPTED","post_id":"${postId}"}`,
    );
    const echo = `{"params":{"line_item_id":"${item}","post_ids":${JSON.stringify(posts)},"account_id":"${account}"}}`;
    return reply
      .code(201)
      .type('application/json; charset=utf-8')
      .send(`{"request":${echo},"next_cursor":null,"total_count":${rows.length},"data":[${data.join()}]}`);
  });
}
