import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from './redis.js';
import { settings } from './settings.js';
import type { Stage } from './stage.js';

const PATIENCE_MS = 60_000;
const NODES = 6;
const SLOTS = 16_384;
const MASTER = 'mymaster';
/** What a promotion waits for, and what it does not. A busy machine keeps a server from answering for half a second. */
const SENTINEL_SETTINGS = [
  `down-after-milliseconds ${MASTER} 1000`,
  `failover-timeout ${MASTER} 3000`,
  `parallel-syncs ${MASTER} 2`,
];
const NODE_OPTIONS = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'];
const CLUSTER_OPTIONS = [
  ...NODE_OPTIONS,
  '--cluster-enabled',
  'yes',
  '--cluster-node-timeout',
  '1000',
  '--cluster-replica-validity-factor',
  '0',
];

/** Servers of Redis of which one takes over for another. */
export interface RedisGroup {
  /** REDIS_URL. */
  url: string;
  /** Kills a primary, or asks for a failover; answers when another server is the primary. */
  switch(by: 'kill' | 'failover'): Promise<void>;
  /** Waits until another switch is possible: what was killed is back, and all replicas follow. */
  heal(): Promise<void>;
}

/** A primary, two replicas and three sentinels. */
export async function startSentinels(stage: Stage): Promise<RedisGroup> {
  const first = await Redis.start(stage, 'server-0', NODE_OPTIONS);
  const follow = ['--replicaof', '127.0.0.1', `${first.port}`];
  const replicas = await Promise.all(
    [1, 2].map((i) => Redis.start(stage, `server-${i}`, [...NODE_OPTIONS, ...follow])),
  );
  const servers = [first, ...replicas];
  await until('two replicas follow', async () => (await first.info('connected_slaves')) === '2');
  const configuration = [`sentinel monitor ${MASTER} 127.0.0.1 ${first.port} 2`];
  configuration.push(...SENTINEL_SETTINGS.map((line) => `sentinel ${line}`));
  const sentinels = await Promise.all(
    [0, 1, 2].map((i) => Redis.startSentinel(stage, `sentinel-${i}`, [...configuration])),
  );
  const named = async (sentinel: Redis) =>
    Number((await sentinel.ask<[string, string]>('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER))[1]);
  // a sentinel finds a replica that comes back within ten seconds
  const usable = settings.quick ? 1 : 2;
  const heal = () =>
    until('sentinels agree on a primary whose replicas follow', async () => {
      // read each time: on a busy machine, sentinels promote another server meanwhile
      const port = await named(sentinels[0]);
      await revive(servers, '--replicaof', '127.0.0.1', `${port}`);
      return (
        (await all(servers, (server) => (server.port === port ? isPrimary(server) : follows(server, port)))) &&
        (await all(
          sentinels,
          async (sentinel) => (await named(sentinel)) === port && (await usableOf(sentinel)) >= usable,
        ))
      );
    });
  await heal();
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${MASTER}`,
    heal,
    switch: async (by) => {
      const before = await named(sentinels[0]);
      if (by === 'kill') await servers.find(({ port }) => port === before)!.stop();
      else await sentinels[0].ask('SENTINEL', 'FAILOVER', MASTER);
      await until('sentinels promote a replica', async () => (await named(sentinels[0])) !== before);
    },
  };
}

/** How many replicas a sentinel could promote, if it sees the other two sentinels. */
async function usableOf(sentinel: Redis): Promise<number> {
  const master = pairsOf(await sentinel.ask<string[]>('SENTINEL', 'MASTER', MASTER));
  if (master.get('num-other-sentinels') !== '2' || master.get('flags') !== 'master') return 0;
  const replicas = await sentinel.ask<string[][]>('SENTINEL', 'REPLICAS', MASTER);
  return replicas.filter((replica) => {
    const fields = pairsOf(replica);
    return fields.get('flags') === 'slave' && fields.get('master-link-status') === 'ok';
  }).length;
}

/** Three masters with a replica each. */
export async function startRedisCluster(stage: Stage): Promise<RedisGroup> {
  const nodes = await Promise.all(
    Array.from({ length: NODES }, (_, i) => Redis.start(stage, `node-${i}`, CLUSTER_OPTIONS)),
  );
  const [first, second, third] = nodes;
  for (const [i, node] of nodes.entries()) {
    await node.ask('CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
    if (node !== first) await node.ask('CLUSTER', 'MEET', '127.0.0.1', first.port);
  }
  const shares = [first, second, third];
  for (const [i, node] of shares.entries()) {
    const [from, to] = [i, i + 1].map((share) => Math.floor((share * SLOTS) / shares.length));
    await node.ask('CLUSTER', 'ADDSLOTSRANGE', from, to - 1);
  }
  await until('all nodes know each other', () => all(nodes, async (node) => (await knownBy(node)) === NODES));
  for (const [i, node] of nodes.slice(3).entries())
    await node.ask('CLUSTER', 'REPLICATE', await shares[i].ask<string>('CLUSTER', 'MYID'));
  const heal = async () => {
    await revive(nodes);
    await until('the cluster is whole', () => all(nodes, isWhole));
  };
  await heal();
  let turn = 0;
  return {
    url: `redis+cluster://${shares.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    heal,
    switch: async (by) => {
      const replicas = [];
      for (const node of nodes) if (!(await isPrimary(node))) replicas.push(node);
      const next = replicas[turn++ % replicas.length];
      const port = Number(await next.info('master_port'));
      if (by === 'kill') await nodes.find((node) => node.port === port)!.stop();
      else await next.ask('CLUSTER', 'FAILOVER');
      await until('a replica takes over', () => isPrimary(next));
    },
  };
}

/** Whether a node serves all slots together with the others, and follows its master if it has one. */
async function isWhole(node: Redis): Promise<boolean> {
  const state = await node.ask<string>('CLUSTER', 'INFO');
  if (!state.includes('cluster_state:ok') || (await knownBy(node)) !== NODES) return false;
  const lines = (await node.ask<string>('CLUSTER', 'NODES')).trim().split('\n');
  const isBalanced = lines.filter((line) => / (myself,)?slave /.test(line)).length === NODES / 2;
  return isBalanced && ((await isPrimary(node)) || (await node.info('master_link_status')) === 'up');
}

/** How many nodes a node sees, and neither suspects nor still meets. */
async function knownBy(node: Redis): Promise<number> {
  const lines = (await node.ask<string>('CLUSTER', 'NODES')).trim().split('\n');
  return lines.filter((line) => !/fail|handshake|noaddr/.test(line)).length;
}

const isPrimary = async (server: Redis) => (await server.info('role')) === 'master';

const follows = async (server: Redis, port: number) =>
  (await server.info('master_port')) === `${port}` && (await server.info('master_link_status')) === 'up';

async function revive(servers: Redis[], ...options: string[]): Promise<void> {
  for (const server of servers) if (!server.lives) await server.restart(...options);
}

const all = async <T>(items: T[], isSo: (item: T) => Promise<boolean>): Promise<boolean> =>
  (await Promise.all(items.map(isSo))).every(Boolean);

const pairsOf = (list: string[]): Map<string, string> =>
  new Map(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]] as const] : [])));

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(25)) {
    // a server that was just killed or started does not answer
    if (await isSo().catch(() => false)) return;
  }
  throw new Error(`Redis: ${what}: not within ${PATIENCE_MS / 1_000} s`);
}
