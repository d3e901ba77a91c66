import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { world } from './app.js';

export interface Route {
  method: string;
  /** With its parameters as `:name`. */
  path: string;
}

/** Every route that the controllers of the running application declare. */
export function routesOfTheApp(): Route[] {
  const controllers = [...world().get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  const routes = controllers.flatMap(({ metatype }) => {
    const prototype = metatype!.prototype as object;
    const bases = listed(Reflect.getMetadata(PATH_METADATA, metatype!));
    return Object.getOwnPropertyNames(prototype).flatMap((name) => {
      const handler = Object.getOwnPropertyDescriptor(prototype, name)?.value as object | undefined;
      if (typeof handler !== 'function') return [];
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined) return [];
      const paths = listed(Reflect.getMetadata(PATH_METADATA, handler));
      return bases.flatMap((base) => paths.map((path) => ({ method: RequestMethod[method], path: join(base, path) })));
    });
  });
  return routes.sort((one, other) => one.path.localeCompare(other.path) || one.method.localeCompare(other.method));
}

const listed = (path: unknown): string[] => [path ?? ''].flat() as string[];

const join = (base: string, path: string) =>
  `/${[base, path]
    .map((each) => each.replace(/^\/+|\/+$/g, ''))
    .filter(Boolean)
    .join('/')}`;
