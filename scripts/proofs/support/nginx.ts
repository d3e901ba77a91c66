import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endChild, lives, Missing, whereIs } from './child.js';
import { ROOT } from './paths.js';
import { freePort, untilListening } from './ports.js';
import { settings } from './settings.js';
import type { Stage } from './stage.js';

/** Where the two replicas are, as `host:port`; names are looked up with a name server of ours, on a port of this machine. */
export interface Upstream {
  replicas: [string, string];
  nameServer?: number;
}

/**
 * nginx with the shipped configuration, in which only addresses and folders are replaced: with a name server, the list of
 * replicas for nginx 1.27.3 or newer; else the one for older versions, which every version takes.
 */
export async function startNginx(stage: Stage, upstream: Upstream, port?: number): Promise<number> {
  const nginx = whereIs('nginx', '/usr/sbin', '/usr/local/sbin');
  if (!nginx) throw new Missing('nginx is not installed; install it (Debian: apt-get install nginx-light).');
  if (upstream.nameServer !== undefined && !looksNamesUp(nginx))
    throw new Missing('this nginx does not look names up again; install nginx 1.27.3 or newer.');
  const listening = port ?? (await freePort());
  const folder = join(stage.folder, `nginx-${listening}`);
  mkdirSync(folder, { mode: 0o711 });
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, placedServer(folder, listening));
  writeFileSync(join(folder, 'upstreams.conf'), placedUpstreams(upstream));
  const log = join(settings.logs ?? folder, `nginx-${listening}-error.log`);
  const child = spawn(nginx, ['-p', folder, '-c', file, '-e', log, '-g', `daemon off; pid ${folder}/nginx.pid;`], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  stage.owns(child, 'SIGTERM');
  stage.atEnd(() => endChild(child, 'SIGTERM'));
  await untilListening(listening, `nginx (${log})`, () => lives(child)).catch((error: Error) => {
    throw new Error(`${error.message}: ${readFileSync(log, 'utf8')}`);
  });
  return listening;
}

/** `resolve` of `server` came with 1.27.3. */
function looksNamesUp(nginx: string): boolean {
  const { stderr } = spawnSync(nginx, ['-v'], { encoding: 'utf8' });
  const [major, minor, patch] = /nginx\/(\d+)\.(\d+)\.(\d+)/.exec(stderr)?.slice(1).map(Number) ?? [0, 0, 0];
  return major * 1e6 + minor * 1e3 + patch >= 1_027_003;
}

function placedServer(folder: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return shipped('nginx.conf', [
    ['http {\n', `http {\n${temporary.join('\n')}\n`],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
    ['access_log /var/log/nginx/access.log ', `access_log ${folder}/access.log `],
  ]);
}

function placedUpstreams({ replicas, nameServer }: Upstream): string {
  if (nameServer === undefined)
    return shipped(
      'upstreams-static.conf',
      replicas.map((replica, i): Replacement => [`server 127.0.0.1:${3001 + i} `, `server ${replica} `]),
    );
  return shipped('upstreams.conf', [
    ['resolver 127.0.0.11 ', `resolver 127.0.0.1:${nameServer} `],
    ...replicas.map((replica, i): Replacement => [`server app${i + 1}:3000 resolve `, `server ${replica} resolve `]),
  ]);
}

type Replacement = [shipped: string, ours: string];

function shipped(name: string, replacements: Replacement[]): string {
  return replacements.reduce(
    (text, [shippedText, ours]) => {
      if (!text.includes(shippedText)) throw new Error(`deploy/${name} has no "${shippedText.trim()}" any more`);
      return text.replaceAll(shippedText, ours);
    },
    readFileSync(join(ROOT, 'deploy', name), 'utf8'),
  );
}
