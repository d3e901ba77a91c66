/**
 * The order of migrations. A database that already has the migrations of a release must run a later one after them, as an empty
 * database does. So a migration is added at the end of `MIGRATIONS`, with a time after all others, and stays there.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const INDEX = 'src/migrations/index.ts';
/** How many earlier versions of the list are compared. */
const MAX_VERSIONS = 50;
/** The last migration of release 0.2.0. Before it, migrations were also added between others. */
const LAST_UNCHECKED = 'WebhookReplays1795700300000';

/** The names in `MIGRATIONS`, in their order. Each ends with its time in milliseconds. */
export function namesIn(source) {
  const list = source.slice(source.indexOf('export const MIGRATIONS'));
  return list.match(/\b[A-Z]\w*?\d{13}\b/g) ?? [];
}

const timeOf = (name) => Number(name.slice(-13));

/** The times of all migrations, in milliseconds. */
export const timesOfMigrations = () => namesIn(readFileSync(join(root, INDEX), 'utf8')).map(timeOf);

/**
 * What is wrong with the order of `names`: each has to be later than the one before, and each earlier list, newest first, has to
 * be the beginning of the one that came after it. Empty where nothing is wrong.
 */
export function faultsIn(names, earlier = []) {
  const faults = [];
  for (const [i, name] of names.entries())
    if (i > 0 && timeOf(name) <= timeOf(names[i - 1]))
      faults.push(`${name} stands after ${names[i - 1]} in ${INDEX}, but its time is not later.`);
  let later = names;
  for (const before of earlier) {
    const at = before.findIndex((name, i) => !later[i] || timeOf(later[i]) !== timeOf(name));
    if (at >= 0) {
      faults.push(
        `${later[at] ?? 'Nothing'} stands where ${before[at]} stood in ${INDEX}. Give a new migration a time after ${before.at(-1)} and add it at the end.`,
      );
      break;
    }
    later = before;
  }
  return faults;
}

/** What is wrong with the order of the migrations in this checkout. Without history of git only the list itself is looked at. */
export function faultsOfOrder() {
  return faultsIn(namesIn(readFileSync(join(root, INDEX), 'utf8')), earlierLists());
}

/** The committed versions of the list, newest first. */
function earlierLists() {
  const commits = git('log', '--first-parent', `--max-count=${MAX_VERSIONS}`, '--format=%H', '--', INDEX);
  return commits
    .split('\n')
    .filter(Boolean)
    .map((commit) => namesIn(git('show', `${commit}:${INDEX}`)))
    .filter((names) => names.includes(LAST_UNCHECKED));
}

function git(...argv) {
  const { status, stdout } = spawnSync('git', argv, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : '';
}
