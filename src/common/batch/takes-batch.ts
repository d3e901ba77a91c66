import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import type { FastifyContextConfig } from 'fastify';
import type { OperationInputs } from './batch.js';

/** The maximum size of a batch, where it exceeds that of other bodies. */
export type BatchSize = Pick<FastifyContextConfig, 'bodyLimit' | 'jsonBounds'>;

const INPUTS = Symbol('inputs');

/** The DTO of each kind of operation that a controller's method takes; undefined unless it takes a batch. */
export const operationInputsOf = (handler: object) =>
  Reflect.getMetadata(INPUTS, handler) as OperationInputs | undefined;

/** Describes a batch in the document: up to `max` operations, each with the parameters of its kind. */
export const TakesBatch = (inputs: OperationInputs, max = 40, size: BatchSize = {}) =>
  applyDecorators(
    SetMetadata(INPUTS, inputs),
    RouteConfig({ takesJsonOnly: true, ...size }),
    ApiExtraModels(...Object.values(inputs)),
    ApiBody({
      description: 'The operations, in the order in which they run.',
      schema: {
        type: 'array',
        minItems: 1,
        maxItems: max,
        items: {
          oneOf: Object.entries(inputs).map(([type, input]) => ({
            type: 'object',
            required: ['operation_type', 'params'],
            properties: {
              operation_type: { type: 'string', const: type, description: 'The action of the operation.' },
              params: { allOf: [{ $ref: getSchemaPath(input) }], description: 'The parameters of the operation.' },
            },
          })),
        },
      },
    }),
  );
