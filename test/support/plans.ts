import { DataSource, type EntityManager } from 'typeorm';
import { plainQuery } from '../../src/common/db/postgres/driver.js';
import {
  poolExecutor,
  poolOf,
  useExecutors,
  type Executor,
  type Statement,
} from '../../src/common/db/query/statement.js';
import { world } from './app.js';

/** Where a statement runs: on shared connections, on those for large results, or on these with other long reads. */
export type Lane = 'small' | 'large' | 'long';

export interface Sent extends Statement {
  lane: Lane;
}

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** What a statement did, over all of its plan. */
export interface Work {
  /** Rows that a table or an index returned. */
  scanned: number;
  /** Rows that a condition excluded after that. */
  removed: number;
  ms: number;
}

/** Records the statements that this file's service sends outside of transactions; with the plain driver only. */
export function recordStatements(): Sent[] {
  const dataSource = world().get(DataSource);
  const sent: Sent[] = [];
  const ask = poolExecutor(poolOf(dataSource), plainQuery);
  let lane: Lane | undefined;
  const recorded =
    (own: Lane): Executor =>
    (config) => {
      sent.push({ text: config.text, values: [...(config.values ?? [])] as unknown[], lane: lane ?? own });
      return ask(config);
    };
  useExecutors(dataSource, {
    small: recorded('small'),
    large: recorded('large'),
    longReads: {
      run: (_, work) => {
        lane = 'long';
        // the statement is recorded before its first await
        const answer = work();
        lane = undefined;
        return answer;
      },
    },
    inTransaction: plainQuery,
  });
  return sent;
}

/** Runs a statement with one plan for all values, as the service does, and adds up its plan. */
export function workOf({ text, values }: Statement): Promise<Work> {
  return world()
    .get(DataSource)
    .transaction(async (tx) => {
      await tx.query(`SET LOCAL plan_cache_mode = force_generic_plan`);
      await tx.query(`SET LOCAL jit = off`);
      await tx.query(`PREPARE explained AS ${text}`);
      try {
        return await explained(tx, values);
      } finally {
        await tx.query('DEALLOCATE explained');
      }
    });
}

async function explained(tx: EntityManager, values: unknown[]): Promise<Work> {
  const given = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
  type Explained = { 'QUERY PLAN': [{ Plan: PlanNode; 'Execution Time': number }] };
  const [line] = await tx.query<Explained[]>(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained${given}`);
  const [{ Plan: plan, 'Execution Time': ms }] = line['QUERY PLAN'];
  const work = { scanned: 0, removed: 0, ms };
  add(plan, work);
  return work;
}

function add(node: PlanNode, work: Work): void {
  const loops = node['Actual Loops'];
  if (/^(Index|Seq|Bitmap Heap)/.test(node['Node Type'])) work.scanned += node['Actual Rows'] * loops;
  for (const kind of ['Filter', 'Join Filter', 'Index Recheck'] as const)
    work.removed += (node[`Rows Removed by ${kind}`] ?? 0) * loops;
  for (const each of node.Plans ?? []) add(each, work);
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]::varchar[]`;
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `'${(value as string).replaceAll("'", "''")}'`;
}
