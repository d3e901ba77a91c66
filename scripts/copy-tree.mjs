import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Copies the files of a working tree that git does not ignore, with a link to its packages. */
export function copyTree(root, copy) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root });
  const deleted = execFileSync('git', ['ls-files', '--deleted', '-z'], { cwd: root });
  const gone = new Set(deleted.toString().split('\0'));
  for (const path of listed.toString().split('\0')) {
    if (path === '' || gone.has(path)) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    copyFileSync(join(root, path), join(copy, path));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}
