import type { INestApplicationContext, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { OperationInputs } from '../../common/batch/batch.js';
import { operationInputsOf } from '../../common/batch/takes-batch.js';
import { httpOperationsOf } from '../../common/http/server/http-operations.js';
import { declaredFields } from '../../common/http/params/dto-metadata.js';
import { policyFor, type EndpointPolicy } from '../../auth/guards/endpoint-policy.js';
import { isOutsideTransaction } from '../../auth/idempotency/idempotency.interceptor.js';

/** A method that handles requests. */
export interface EndpointHandler {
  controller: Type;
  name: string;
  /** As `METHOD /path/:parameter`; one method may have several. */
  routes: string[];
  rules: EndpointPolicy;
  /** Whether requests with one Idempotency-Key can be performed at the same time. */
  isOutsideTransaction: boolean;
  /** The DTOs of its parameters. */
  models: Type<object>[];
  /** The DTO of each kind of operation, for a batch. */
  inputs?: OperationInputs;
}

/** Every handler of the application, in all modules. */
export const handlersOf = (app: INestApplicationContext): EndpointHandler[] =>
  httpOperationsOf(app.get(ModulesContainer)).map(({ controller, name, routes }) => {
    const prototype = controller.prototype as Record<string, object>;
    return {
      controller,
      name,
      routes,
      rules: policyFor(controller, prototype[name]),
      isOutsideTransaction: isOutsideTransaction(prototype[name]),
      models: modelsOf(prototype, name),
      inputs: operationInputsOf(prototype[name]),
    };
  });

function modelsOf(prototype: Record<string, object>, name: string): Type<object>[] {
  const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as unknown[];
  return types.filter(
    (type): type is Type<object> => typeof type === 'function' && declaredFields(type.prototype as object).length > 0,
  );
}
