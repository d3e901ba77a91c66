import {
  applyDecorators,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map } from 'rxjs';
import { Page } from './page.js';
import { objectSchema } from './responses.js';
import { Created } from './results.js';
import { InEnvelope, returnedBy, type ResponseEnvelope } from './returns.js';

/** For a controller of the `/2` family: its methods return `{ data }`, and lists `{ data, meta }`. */
export const DataEnvelope = (): ClassDecorator => (controller) => {
  const prototype = controller.prototype as object;
  const methods = Object.getOwnPropertyDescriptors(prototype);
  for (const [name, method] of Object.entries<PropertyDescriptor>(methods)) {
    const returned = typeof method.value === 'function' ? returnedBy(method.value as object) : undefined;
    if (!returned) continue;
    applyDecorators(InEnvelope(returned, DATA_ENVELOPE), UseInterceptors(DataInterceptor))(prototype, name, method);
  }
};

/** Wraps responses of the `/2` family, and sets the status by whether an item was created or found. */
@Injectable()
class DataInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(
      map((answer: unknown) => {
        const made = answer instanceof Created ? (answer as Created<unknown>) : undefined;
        if (made?.isNew === false) void context.switchToHttp().getResponse<FastifyReply>().status(200);
        const result = made ? made.result : answer;
        if (result instanceof Page) return dataList(result.items, result.nextCursor);
        return Array.isArray(result) ? dataList(result, null) : { data: result };
      }),
    );
  }
}

const dataList = (data: unknown[], next: string | null) => ({
  data,
  meta: { result_count: data.length, ...(next !== null && { next_token: next }) },
});

const DATA_ENVELOPE: ResponseEnvelope = {
  wire: (item, { kind }) => ({
    type: 'object',
    properties:
      kind === 'item'
        ? { data: item }
        : {
            data: { type: 'array', items: item },
            meta: {
              type: 'object',
              properties: { result_count: { type: 'integer' }, next_token: { type: 'string' } },
            },
          },
  }),

  described(item, { kind }) {
    if (kind === 'item') return objectSchema({ data: { allOf: [item], description: 'The item.' } });
    return objectSchema({
      data: { type: 'array', items: item, description: 'The items.' },
      meta: {
        type: 'object',
        description: 'Information about the list.',
        required: ['result_count'],
        properties: {
          result_count: { type: 'integer', description: 'Number of items in the response.', example: 1 },
          ...(kind === 'page' && {
            next_token: {
              type: 'string',
              description:
                'Send it as `pagination_token`, with otherwise the same parameters, to get the next page. Absent on the last page.',
            },
          }),
        },
      },
    });
  },
};
