#!/usr/bin/env node
/**
 * Installs the packages of tests, checks and documents unless they are there. They are in workspaces, which `npm install` leaves out
 * (.npmrc), because whoever only runs Marquee does not need them: they are two fifths of all bytes.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const manifest = (folder) => JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'));
const names = ['packages/dev', 'packages/testing'].flatMap((folder) => Object.keys(manifest(folder).devDependencies));

if (!names.every((name) => existsSync(new URL(`node_modules/${name}/package.json`, root)))) {
  process.stderr.write('Installing the packages that tests and checks need, once ...\n');
  const { status } = spawnSync('npm', ['install', '--workspaces', '--include-workspace-root'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}
