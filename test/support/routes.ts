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

/** The paths below an account of the lists with rows of snapshots, but of criteria, which are listed by line item. */
export function listsInSnapshots(): string[] {
  const tables = snapshotTables().map(({ name }) => (name === 'library_media' ? 'media_library' : name));
  return routesOfTheApp().flatMap(({ method, path }) => {
    const [, list] = /^\/12\/accounts\/:account_id\/(\w+)$/.exec(path) ?? [];
    return method === 'GET' && tables.includes(list) && list !== 'targeting_criteria' ? [list] : [];
  });
}
