import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import { pluralOf, singularOf } from '../../text/nouns.js';

/** A method of a controller that handles requests. */
export interface HttpOperation {
  /** The id in the document. */
  id: string;
  controller: Type;
  /** The name of the method. */
  name: string;
  /** As `METHOD /path/:parameter`; one method may have several. */
  routes: string[];
}

/** Every operation of the application, in all modules. */
export function httpOperationsOf(modules: ModulesContainer): HttpOperation[] {
  const controllers = [...modules.values()].flatMap((module) =>
    [...module.controllers.values()].map(({ metatype }) => metatype as Type),
  );
  return [...new Set(controllers)].flatMap((controller) => {
    const prototype = controller.prototype as Record<string, object>;
    return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
      const method = Reflect.getMetadata(METHOD_METADATA, prototype[name]) as RequestMethod | undefined;
      if (method === undefined) return [];
      const routes = pathsOf(controller).flatMap((base) =>
        pathsOf(prototype[name]).map((path) => `${RequestMethod[method]} ${joinPath(base, path)}`),
      );
      return { id: operationIdOf(controller.name, name), controller, name, routes };
    });
  });
}

const pathsOf = (target: object): string[] => [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();

const joinPath = (...pieces: string[]) =>
  `/${pieces
    .flatMap((piece) => piece.split('/'))
    .filter(Boolean)
    .join('/')}`;

const PLURAL_VERBS = new Set(['list', 'add', 'remove']);

/**
 * The operation id for generated clients: `listCampaigns`, `getCampaign`, `batchCampaigns`. A handler name that says
 * more than a verb, such as `requestToken`, stays.
 */
export function operationIdOf(controller: string, method: string): string {
  // A handler with several paths has a numbered id for each.
  const handler = method.replace(/\[\d+\]$/, '');
  if (/[A-Z]/.test(handler)) return handler;
  const noun = controller.replace(/Controller$/, '').replace(/^Sandbox/, '');
  if (noun.endsWith('Batch')) return `batch${pluralOf(noun.slice(0, -'Batch'.length))}`;
  const things = noun.replace(/Self$/, '');
  return `${handler}${PLURAL_VERBS.has(handler) ? things : singularOf(things)}`;
}
