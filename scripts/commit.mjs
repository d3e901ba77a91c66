import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path) => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** The commit that is checked out, read from the files of git, or the one that MARQUEE_COMMIT names; an empty text without either. */
export function currentCommit() {
  if (process.env.MARQUEE_COMMIT) return process.env.MARQUEE_COMMIT;
  // a worktree has a file that names its folder
  const pointer = /^gitdir: (.+)$/.exec(read(join(root, '.git')) ?? '')?.[1];
  const git = pointer === undefined ? join(root, '.git') : resolve(root, pointer);
  const shared = resolve(git, read(join(git, 'commondir')) ?? '.');
  const head = read(join(git, 'HEAD')) ?? '';
  const [, ref] = /^ref: (.+)$/.exec(head) ?? [];
  if (ref === undefined) return head;
  const packed = (read(join(shared, 'packed-refs')) ?? '').split('\n').find((line) => line.endsWith(` ${ref}`));
  return read(join(git, ref)) ?? read(join(shared, ref)) ?? packed?.split(' ', 1)[0] ?? '';
}
