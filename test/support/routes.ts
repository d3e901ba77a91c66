import { handlersOf } from '../../src/operations/docs/handlers.js';
import { snapshotTables } from '../../src/workbench/snapshots/snapshot-tables.js';
import { world } from './app.js';

export interface Route {
  method: string;
  /** With its parameters as `:name`. */
  path: string;
}

/** Every route that the controllers of the running application declare. */
export const routesOfTheApp = (): Route[] =>
  handlersOf(world().app)
    .flatMap(({ routes }) => routes)
    .map((route) => {
      const [method, path] = route.split(' ');
      return { method, path };
    })
    .sort((one, other) => one.path.localeCompare(other.path) || one.method.localeCompare(other.method));

/** Read in another way: of line items, and one for an account. */
const NO_LISTS = new Set(['targeting_criteria', 'tax_settings']);

/** The paths below an account of the lists with rows of snapshots. */
export function listsInSnapshots(): string[] {
  const tables = snapshotTables().map(({ name }) => (name === 'library_media' ? 'media_library' : name));
  return routesOfTheApp().flatMap(({ method, path }) => {
    const [, list] = /^\/12\/accounts\/:account_id\/(\w+)$/.exec(path) ?? [];
    return method === 'GET' && tables.includes(list) && !NO_LISTS.has(list) ? [list] : [];
  });
}
