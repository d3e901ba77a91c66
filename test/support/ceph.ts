import { execFile, execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { S3Settings } from '../../src/config/config.js';

const run = promisify(execFile);
const TOOLS = ['ceph', 'ceph-mon', 'ceph-osd', 'ceph-authtool', 'monmaptool', 'radosgw', 'radosgw-admin'];

/** Whether Ceph with its S3 gateway is installed (Debian: radosgw, ceph-mon and ceph-osd). */
export const hasCeph = TOOLS.every((tool) => {
  try {
    execFileSync('which', [tool], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

export interface Ceph {
  settings: S3Settings;
  close(): Promise<void>;
}

/** A Ceph cluster of one monitor, one store in memory and the S3 gateway, on loopback, with an empty bucket. */
export async function startCeph(): Promise<Ceph> {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-ceph-'));
  const [monitor, gateway] = await freePorts(2);
  const conf = join(folder, 'ceph.conf');
  const fsid = randomUUID();
  writeFileSync(conf, confOf(folder, fsid, monitor));
  const ceph = (tool: string, ...args: string[]) => run(tool, ['--conf', conf, ...args], { timeout: 60_000 });
  const close = async () => {
    for (const name of ['client.gateway', 'osd.0', 'mon.a']) await stopped(join(folder, `${name}.pid`));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const keyring = join(folder, 'keyring');
    const monmap = join(folder, 'monmap');
    await run('ceph-authtool', ['--create-keyring', keyring, '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *']);
    await run('monmaptool', ['--create', '--addv', 'a', `[v2:127.0.0.1:${monitor}]`, '--fsid', fsid, monmap]);
    await ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', monmap, '--keyring', keyring);
    await ceph('ceph-mon', '-i', 'a', '--public-addr', `v2:127.0.0.1:${monitor}`);
    await ceph('ceph', 'osd', 'create');
    mkdirSync(join(folder, 'osd'));
    await ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', randomUUID());
    await ceph('ceph', 'osd', 'crush', 'add', 'osd.0', '1', 'root=default', 'host=here');
    await ceph('ceph-osd', '-i', '0');
    const settings: S3Settings = {
      endpoint: new URL(`http://127.0.0.1:${gateway}`),
      region: 'us-east-1',
      bucket: `marquee-${randomBytes(4).toString('hex')}`,
      accessKeyId: randomBytes(10).toString('hex'),
      secretAccessKey: randomBytes(20).toString('hex'),
      forcePathStyle: true,
      prefix: 'test/',
    };
    const keys = ['--access-key', settings.accessKeyId, '--secret', settings.secretAccessKey];
    await ceph('radosgw-admin', 'user', 'create', '--uid', 'test', '--display-name', 'test', ...keys);
    // Without authentication inside the cluster there is nothing to encrypt its talk with.
    const front = ['--rgw-frontends', `beast endpoint=127.0.0.1:${gateway}`, '--ms-mon-client-mode', 'crc'];
    await ceph('radosgw', '-n', 'client.gateway', ...front);
    await makeBucket(settings);
    return { settings, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const confOf = (folder: string, fsid: string, monitor: number) => `[global]
fsid = ${fsid}
mon_host = v2:127.0.0.1:${monitor}
mon_initial_members = a
public_addr = 127.0.0.1
ms_bind_ipv6 = false
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
osd_objectstore = memstore
memstore_device_bytes = 2147483648
osd_crush_chooseleaf_type = 0
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data_avail_warn = 0
mon_data_avail_crit = 0
run_dir = ${folder}
mon_data = ${folder}/mon
osd_data = ${folder}/osd
rgw_data = ${folder}/gateway
keyring = ${folder}/keyring
log_file = ${folder}/$name.log
pid_file = ${folder}/$name.pid
admin_socket = ${folder}/$name.asok
`;

async function makeBucket({ endpoint, region, bucket, forcePathStyle, ...credentials }: S3Settings): Promise<void> {
  const { S3Client, CreateBucketCommand } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ endpoint: endpoint!.href, region, forcePathStyle, credentials, maxAttempts: 1 });
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
      return client.destroy();
    } catch (error) {
      if (attempt === 60) throw error;
      await pause(500);
    }
  }
}

async function stopped(pidFile: string): Promise<void> {
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, 'utf8'));
  } catch {
    return;
  }
  try {
    process.kill(pid, 'SIGTERM');
    for (let attempt = 0; attempt < 100; attempt++) {
      await pause(50);
      process.kill(pid, 0);
    }
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
