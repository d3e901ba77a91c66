import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const NGINX =
  ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx'].find((path) => existsSync(path)) ?? 'nginx';

/** nginx with these lines inside `http`, until it is closed. `port` is one that the lines listen on. */
export async function startNginx(port: number, http: string): Promise<{ port: number; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-nginx-'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(folder, http));
  const nginx = spawn(NGINX, ['-p', folder, '-c', file, '-e', join(folder, 'error.log')], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => nginx.once('exit', () => resolve()).once('error', () => resolve()));
  const close = async () => {
    nginx.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let attempt = 0; attempt < 100; attempt++) {
    if (nginx.exitCode === null && (await answers(port))) return { port, close };
    await pause(50);
  }
  await close();
  throw new Error('nginx did not start; this test needs it installed.');
}

const configuration = (folder: string, http: string) => `
daemon off;
# It may write its temporary files where we can.
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 2048; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
${http}
}
`;

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    setTimeout(() => socket.destroy(), 200).unref();
  });
}
