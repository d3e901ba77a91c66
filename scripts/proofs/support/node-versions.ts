import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Missing } from './child.js';
import type { Stage } from './stage.js';

/** A Node of its own, beside the one that runs this. */
export interface OtherNode {
  version: string;
  /** The program. */
  path: string;
  /** The environment in which `node` is that program for all that a process starts. */
  env: NodeJS.ProcessEnv;
}

/** Fetches the newest Node of a major version from the npm registry. */
export function fetchNode(stage: Stage, major: number): OtherNode {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(stage.folder, `node-${major}`);
  mkdirSync(folder);
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', folder, `${name}@${major}`], {
      stdio: 'ignore',
    });
  } catch {
    throw new Missing(`npm cannot install ${name}@${major}.`);
  }
  const path = join(folder, 'node_modules', name, 'bin', 'node');
  return {
    version: execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(),
    path,
    env: { ...process.env, PATH: `${dirname(path)}:${process.env.PATH}` },
  };
}
