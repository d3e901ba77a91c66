/**
 * Prints how large the service is: files and lines of `src` without the migrations, which only ever grow, and the lines for each
 * operation of openapi.json. Fails above the limit, so that a feature that needs more code than those before it is noticed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The limit that holds today. A change that simplifies the service lowers it. */
const MAX_LINES_PER_OPERATION = 470;
const GOAL = 400;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const sources = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter(({ name }) => name.endsWith('.ts'))
  .map(({ parentPath, name }) => join(parentPath, name))
  .filter((path) => !path.startsWith(join('src', 'migrations')));
const lines = sources.reduce((sum, path) => sum + readFileSync(path, 'utf8').split('\n').length - 1, 0);

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'));
const operations = Object.values(paths).flatMap((path) => METHODS.filter((method) => method in path)).length;

const perOperation = Math.ceil(lines / operations);
console.log(
  `src without migrations: ${sources.length} files, ${lines} lines; ${perOperation} lines for each of ${operations} operations (limit ${MAX_LINES_PER_OPERATION}, goal ${GOAL})`,
);
if (perOperation > MAX_LINES_PER_OPERATION) {
  console.error(
    `error: more than ${MAX_LINES_PER_OPERATION} lines for each operation; simplify what the change touches`,
  );
  process.exitCode = 1;
}
