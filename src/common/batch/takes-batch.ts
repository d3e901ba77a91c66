import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import type { FastifyContextConfig } from 'fastify';
import type { Inputs } from './batch.js';

/** How large a batch may be, where it may be larger than other bodies. */
export type BatchSize = Pick<FastifyContextConfig, 'bodyLimit' | 'jsonBounds'>;

/** Shows in Swagger what a batch takes: up to `max` operations, each with the parameters of its kind. */
export const TakesBatch = (inputs: Inputs, max = 40, size: BatchSize = {}) =>
  applyDecorators(
    RouteConfig({ takesJsonOnly: true, ...size }),
    ApiExtraModels(...Object.values(inputs)),
    ApiBody({
      schema: {
        type: 'array',
        minItems: 1,
        maxItems: max,
        items: {
          oneOf: Object.entries(inputs).map(([type, input]) => ({
            type: 'object',
            required: ['operation_type', 'params'],
            properties: {
              operation_type: { type: 'string', enum: [type] },
              params: { $ref: getSchemaPath(input) },
            },
          })),
        },
      },
    }),
  );
