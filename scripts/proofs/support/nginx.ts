import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endChild, lives, Missing, whereIs } from './child.js';
import { ROOT } from './paths.js';
import { freePort, untilListening } from './ports.js';
import { settings } from './settings.js';
import type { Stage } from './stage.js';

/** nginx with the shipped configuration, in which only addresses and folders are replaced. */
export async function startNginx(stage: Stage, replicas: [number, number], port?: number): Promise<number> {
  const nginx = whereIs('nginx', '/usr/sbin', '/usr/local/sbin');
  if (!nginx) throw new Missing('nginx is not installed; install it (Debian: apt-get install nginx-light).');
  const listening = port ?? (await freePort());
  const folder = join(stage.folder, 'nginx');
  mkdirSync(folder, { mode: 0o711 });
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, placed(readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8'), folder, listening, replicas));
  const log = join(settings.logs ?? folder, 'nginx-error.log');
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

function placed(shipped: string, folder: string, port: number, [one, other]: [number, number]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const replacements: [string, string][] = [
    ['http {\n', `http {\n${temporary.join('\n')}\n`],
    ['server app1:3000 ', `server 127.0.0.1:${one} `],
    ['server app2:3000 ', `server 127.0.0.1:${other} `],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
  ];
  return replacements.reduce((text, [shippedText, ours]) => {
    if (!text.includes(shippedText)) throw new Error(`deploy/nginx.conf has no "${shippedText.trim()}" any more`);
    return text.replace(shippedText, ours);
  }, shipped);
}
