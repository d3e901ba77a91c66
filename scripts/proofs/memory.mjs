/** How much memory the service holds, one minute after it is ready and with nothing to do. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { makeWorld } from '../../dist/bench/world.js';
import { PORT, POSTGRES, REDIS, startService, withFolder } from './service.mjs';

const IDLE_MS = 60_000;
const MOST_MIB = { PostgreSQL: 200, 'embedded store, second start': 600 };

export async function prove() {
  const world = await makeWorld(POSTGRES, `marquee_bench_memory_${process.pid}`, 0);
  try {
    const environment = { ...world.environment, BASE_URL: `http://127.0.0.1:${PORT}`, REDIS_URL: REDIS };
    const server = await idle('PostgreSQL', { ...environment, REDIS_PREFIX: `marquee_proof_${process.pid}:` });
    const embedded = await withFolder(async (folder) => {
      await (await startService(PORT, { DATA_DIR: folder })).end();
      return idle('embedded store, second start', { DATA_DIR: folder });
    });
    return [...server, ...embedded];
  } finally {
    await world.drop();
  }
}

async function idle(name, environment) {
  const service = await startService(PORT, environment);
  await pause(IDLE_MS);
  const mib = residentOf(service.pid);
  await service.end();
  console.log(`${name}: ${mib.toFixed(0)} MiB resident (at most ${MOST_MIB[name]})`);
  return mib <= MOST_MIB[name] ? [] : [`${name}: ${mib.toFixed(0)} MiB`];
}

const residentOf = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
