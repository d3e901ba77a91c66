import { handlersOf } from '../../src/operations/docs/handlers.js';
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
