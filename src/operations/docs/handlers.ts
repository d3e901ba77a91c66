import { RequestMethod, type INestApplicationContext, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { Inputs } from '../../common/batch/batch.js';
import { inputsOf } from '../../common/batch/takes-batch.js';
import { fieldsOf } from '../../common/http/params/dto-metadata.js';
import { policyFor, type EndpointPolicy } from '../../auth/guards/endpoint-policy.js';

/** A method that handles requests. */
export interface Handler {
  controller: Type;
  name: string;
  /** As `METHOD /path/:parameter`; one method may have several. */
  routes: string[];
  rules: EndpointPolicy;
  /** The DTOs of its parameters. */
  models: Type<object>[];
  /** The DTO of each kind of operation, for a batch. */
  inputs?: Inputs;
}

/** Every handler of the application, in all modules. */
export function handlersOf(app: INestApplicationContext): Handler[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) =>
    [...module.controllers.values()].map(({ metatype }) => metatype as Type),
  );
  return [...new Set(controllers)].flatMap((controller) => {
    const prototype = controller.prototype as Record<string, object>;
    return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
      const method = Reflect.getMetadata(METHOD_METADATA, prototype[name]) as RequestMethod | undefined;
      if (method === undefined) return [];
      const routes = pathsOf(controller).flatMap((base) =>
        pathsOf(prototype[name]).map((path) => `${RequestMethod[method]} ${joined(base, path)}`),
      );
      return {
        controller,
        name,
        routes,
        rules: policyFor(controller, prototype[name]),
        models: modelsOf(prototype, name),
        inputs: inputsOf(prototype[name]),
      };
    });
  });
}

function modelsOf(prototype: Record<string, object>, name: string): Type<object>[] {
  const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as unknown[];
  return types.filter(
    (type): type is Type<object> => typeof type === 'function' && fieldsOf(type.prototype as object).length > 0,
  );
}

const pathsOf = (target: object): string[] => [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();

const joined = (...pieces: string[]) =>
  `/${pieces
    .flatMap((piece) => piece.split('/'))
    .filter(Boolean)
    .join('/')}`;
